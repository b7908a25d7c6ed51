package net.pileup.score;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

import net.pileup.model.Band;
import net.pileup.model.Callsign;
import net.pileup.model.Contact;

/** Rules of the usual DX contests: other continents count more. */
public class DxRule implements ScoringRule {

    static final int SAME_COUNTRY = 0;
    static final int SAME_CONTINENT = 1;
    public static final int OTHER_CONTINENT = 3;
    private static final int LOW_BAND_FACTOR = 2;

    private final Callsign own;
    private final Set<String> europe = new HashSet<>();
    private boolean doubleLowBands;

    public DxRule(Callsign own) {
        this.own = own;
        europe.add("DL");
        europe.add("G");
        europe.add("F");
        europe.add("EA");
        europe.add("OK");
    }

    @Override
    public int points(Contact contact) {
        int base;
        if (country(contact.partner()).equals(country(own))) {
            base = SAME_COUNTRY;
        } else if (inEurope(contact.partner()) && inEurope(own)) {
            base = SAME_CONTINENT;
        } else {
            base = OTHER_CONTINENT;
        }
        return base * factor(contact.band());
    }

    private int factor(Band band) {
        if (!doubleLowBands) {
            return 1;
        }
        switch (band) {
            case M160:
            case M80:
            case M40:
                return LOW_BAND_FACTOR;
            case M20:
            case M15:
            case M10:
                return 1;
            default:
                throw new IllegalStateException("unknown band " + band);
        }
    }

    @Override
    public String multiplier(Contact contact) {
        return country(contact.partner()) + "@" + contact.band().label();
    }

    @Override
    public String title() {
        return "DX contest for " + own.text();
    }

    static String country(Callsign call) {
        String p = call.prefix();
        int i = p.length();
        while (i > 1 && Character.isDigit(p.charAt(i - 1))) {
            i--;
        }
        return p.substring(0, i);
    }

    private boolean inEurope(Callsign call) {
        String c = country(call);
        return europe.contains(c);
    }

    public void setDoubleLowBands(boolean on) {
        System.out.println("doubleLowBands=" + on);
        this.doubleLowBands = on;
    }

    private int legacyPoints(Contact contact) {
        return contact.mode() == Contact.Mode.CW ? 2 : 1;
    }
}
