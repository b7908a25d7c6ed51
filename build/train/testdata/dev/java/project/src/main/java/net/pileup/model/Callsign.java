package net.pileup.model;

import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A station's callsign, such as DL1ABC, EA8/DL1ABC or G3XYZ/P. */
public final class Callsign {

    private static final Pattern BASE = Pattern.compile("[A-Z0-9]{1,3}[0-9][A-Z0-9]{0,3}[A-Z]");
    private static final int MIN_LENGTH = 3;
    static final char SEPARATOR = '/';

    private final String text;
    private final String base;
    private final String prefix;

    private Callsign(String text, String base, String prefix) {
        this.text = text;
        this.base = base;
        this.prefix = prefix;
    }

    public static Callsign parse(String raw) {
        if (raw != null) {
            String t = raw.trim().toUpperCase(Locale.ROOT);
            if (t.length() >= MIN_LENGTH) {
                String base = longestPart(t);
                Matcher m = BASE.matcher(base);
                if (m.matches()) {
                    return new Callsign(t, base, prefixOf(t, base));
                } else {
                    throw new IllegalArgumentException("not a callsign: " + raw);
                }
            }
        }
        throw new IllegalArgumentException("empty callsign");
    }

    private static String longestPart(String t) {
        String best = "";
        for (String part : t.split(String.valueOf(SEPARATOR))) {
            if (part.length() > best.length()) {
                best = part;
            }
        }
        return best;
    }

    private static String prefixOf(String t, String base) {
        int slash = t.indexOf(SEPARATOR);
        if (slash > 0 && !t.startsWith(base)) {
            return t.substring(0, slash);
        }
        int i = base.length() - 1;
        while (i > 0 && !Character.isDigit(base.charAt(i))) {
            i--;
        }
        return base.substring(0, i + 1);
    }

    public String text() {
        return text;
    }

    public String base() {
        return base;
    }

    public String prefix() {
        return prefix;
    }

    public boolean isPortable() {
        return text.endsWith("/P") || text.endsWith("/M") || text.endsWith("/MM");
    }

    /** Whether the station counts as low power by its suffix. */
    public boolean isQrp() {
        return text.endsWith("/QRP");
    }

    static String stripSuffix(String raw) {
        int slash = raw.lastIndexOf(SEPARATOR);
        return slash < 0 ? raw : raw.substring(0, slash);
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Callsign && ((Callsign) o).text.equals(text);
    }

    @Override
    public int hashCode() {
        return Objects.hash(text);
    }

    @Override
    public String toString() {
        return text;
    }
}
