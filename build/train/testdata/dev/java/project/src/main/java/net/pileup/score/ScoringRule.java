package net.pileup.score;

import java.util.List;

import net.pileup.model.Band;
import net.pileup.model.Contact;

/** How a contest counts. */
public interface ScoringRule {

    int NO_POINTS = 0;

    /** Points for one contact that is not a dupe. */
    int points(Contact contact);

    /** The multiplier a contact brings, or null. */
    String multiplier(Contact contact);

    String title();

    default boolean countsOn(Band band) {
        return true;
    }

    default int total(List<Contact> contacts) {
        int sum = NO_POINTS;
        for (Contact c : contacts) {
            if (countsOn(c.band())) {
                sum += points(c);
            }
        }
        return sum;
    }

    /** Every contact counts one point and there are no multipliers. */
    final class Flat {
        private final int each;
        private String name = "flat";

        public Flat(int each) {
            this.each = each;
        }

        public int each() {
            return each;
        }

        public String name() {
            return name;
        }

        public String describe() {
            return name + " x" + each;
        }
    }

    /** Hears about the score as it grows. */
    interface ScoreListener {
        void scoreChanged(int before, int after);

        void multiplierFound(String multiplier);
    }
}
