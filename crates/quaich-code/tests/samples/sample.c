/* A sample with much of the syntax of C. é */
#ifndef SAMPLE_H
#define SAMPLE_H 1
#include <stdio.h>
#include "sample.h"
#  define SQUARE(x) \
    ((x) * (x)) /* twice */
#define EMPTY
#define URL "http://example.org" // not a comment
#undef EMPTY
#pragma once
#if defined(__GNUC__) && (__GNUC__ >= 4)
typedef unsigned long size;
#elif 0
#error "don't"
#else
typedef unsigned int size;
#endif

struct node {
    struct node *next, *previous;
    int values[8];
    unsigned flag : 1;
    union { float f; double d; } number;
};

enum color { RED, GREEN = 1 << 2, BLUE };

static const char *const names[] = { "red", u8"green" " and ", [2] = L"blue" };

extern int compare(const void *a, const void *b);
typedef int (*comparison)(const void *, const void *);

static inline int sum(int n, ...) {
    int i, total = 0x1F;
    for (i = 0; i < n; ++i) {
        total += i % 2 ? i : -i;
        if (total > 100) goto done;
        else continue;
    }
    while (n-- > 0) total ^= ~n;
    do { total >>= 1; } while (total && n);
    switch (total) {
    case 'a': case '\'':
        break;
    default:
        return (int) sizeof(struct node) + total;
    }
done:
    return total;
}

int main(int argc, char **argv)
{
    struct node head = { .next = NULL, .values = { 1, 2, 3 } };
    struct node *p = &head;
    p->values[0] = *(int *) argv, p->number.f = 1.5e-3f;
    printf("%d\n", SQUARE(sum(3, 1, 2, 3)));
    return p->next == 0 || !argc;
}
#endif /* SAMPLE_H */
