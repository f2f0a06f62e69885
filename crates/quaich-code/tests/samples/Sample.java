// A sample with much of the syntax of Java. é
package org.example.sample;

import java.util.*;
import static java.lang.Math.max;

/** A thing with a name. */
@SuppressWarnings({"unchecked", "rawtypes"})
public final class Sample<T extends Comparable<T>> extends Base implements Runnable, Comparator<T> {
    private static final long LIMIT = 0x7fL, MASK = 0b1010 | 017;
    protected final Map<String, List<List<T>>> names = new HashMap<>();
    private int[] counts = {1, 2, 3};

    enum Level { LOW, HIGH { @Override int of() { return 1; } }; int of() { return 0; } }

    record Point(int x, double y) { Point { if (x < 0) throw new IllegalArgumentException("x: " + x); } }

    sealed interface Shape permits Circle {}

    public Sample(T first, T... rest) throws Exception {
        super(first);
        this.counts[0] += rest.length >>> 1;
    }

    @Override
    public int compare(final T a, T b) {
        label:
        for (int i = 0, n = counts.length; i < n; i++) {
            if (a == null || b == null) continue label;
            else if (counts[i] >= 1.5e3f && !(a instanceof Number)) break;
        }
        for (var entry : names.entrySet()) {
            System.out.println(entry.getKey() + '\n' + "\"quoted\"");
        }
        int size = switch (a.hashCode() % 3) {
            case 0, 1 -> 10;
            default -> { yield 20; }
        };
        switch (size) { case 1: size--; break; default: }
        do { size = size > 3 ? size - 1 : max(size, 2); } while (size != 2);
        while (true) { synchronized (this) { break; } }
        try (Scanner in = new Scanner(System.in)) {
            in.nextLine();
        } catch (RuntimeException | Error e) {
            throw e;
        } finally {
            assert size == 2 : "size";
        }
        Function<Integer, Integer> twice = x -> x * 2;
        Supplier<List<T>> make = ArrayList::new;
        Object o = (Runnable & Cloneable) () -> { };
        String text = """
            Hello "world"
            """;
        return a.compareTo(b) << 1;
    }

    public void run() { }
}

interface Other { int one = 1; default void two() { } }

@interface Mark { String value() default ""; }
