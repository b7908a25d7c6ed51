package org.example.stock;

import java.util.ArrayList;
import java.util.List;

/** What a shelf holds. */
public final class Shelf<T extends Comparable<T>> implements Iterable<T> {
    private static final int LIMIT = 0x10;
    private final List<T> items = new ArrayList<>();

    public Shelf(int size) {
        this.size = size;
    }

    @Override
    public java.util.Iterator<T> iterator() {
        return items.iterator();
    }

    <E> int count(List<? super E> of, String... names) throws IllegalStateException {
        int n = 0;
        for (String name : names) {
            n += name.isEmpty() ? 0 : 1;
        }
        return switch (n) {
            case 0 -> LIMIT;
            default -> of.size();
        };
    }

    private int size;

    record Pair(int a, int b) {
        Pair {
            if (a > b) throw new IllegalArgumentException("a > b: " + a);
        }
    }

    enum Kind { WIDE, DEEP }

    sealed interface Sort permits Up, Down {}
}
