class Pair<A, B> {
    A first; /* and */ B second;
    int sum(int n) { return n > 0 ? n + sum(n - 1) : 0; }
}
