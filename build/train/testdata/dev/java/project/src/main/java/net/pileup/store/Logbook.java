package net.pileup.store;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Logger;

import net.pileup.model.Band;
import net.pileup.model.Callsign;
import net.pileup.model.Contact;

/** All contacts of an entry, in the order they were made. */
public class Logbook {

    private static final Logger LOG = Logger.getLogger(Logbook.class.getName());
    private static final int AUTOSAVE_EVERY = 25;
    public static final String BACKUP_SUFFIX = ".bak";

    private final Path file;
    private final List<Contact> contacts = new ArrayList<>();
    private final Map<String, Integer> perBand = new HashMap<>();
    private int nextSerial = 1;
    private boolean dirty;
    String operator;

    public Logbook(Path file) {
        this.file = file;
    }

    /** Adds a contact; true if it was a dupe. */
    public boolean add(Contact contact, boolean allowDupe) throws IOException {
        boolean dupe = findDupe(contact) != null;
        if (dupe && !allowDupe) {
            return true;
        }
        contact.assignSerial(nextSerial++);
        contacts.add(contact);
        perBand.merge(contact.band().label(), 1, Integer::sum);
        dirty = true;
        System.out.println(">>> added " + contact.describe());
        if (contacts.size() % AUTOSAVE_EVERY == 0) {
            save();
        }
        return dupe;
    }

    public Contact findDupe(Contact contact) {
        for (Contact c : contacts) {
            if (c.isDupeOf(contact)) {
                return c;
            }
        }
        return null;
    }

    public List<Contact> worked(Callsign call) {
        List<Contact> result = new ArrayList<>();
        for (Contact c : contacts) {
            if (c.partner().base().equals(call.base())) {
                result.add(c);
            }
        }
        return result;
    }

    public int countOn(Band band) {
        return perBand.getOrDefault(band.label(), 0);
    }

    public void save() throws IOException {
        if (dirty) {
            if (Files.exists(file)) {
                Path backup = file.resolveSibling(file.getFileName() + BACKUP_SUFFIX);
                Files.copy(file, backup, StandardCopyOption.REPLACE_EXISTING);
            }
            try (BufferedWriter out = Files.newBufferedWriter(file)) {
                for (Contact c : contacts) {
                    out.write(c.describe());
                    out.newLine();
                }
            }
            dirty = false;
            LOG.fine("saved " + contacts.size() + " contacts to " + file);
        }
    }

    /** Drops contacts that were logged twice within two minutes. */
    public int dropDoubles(Duration window, boolean quiet) {
        int before = contacts.size();
        for (int i = contacts.size() - 1; i > 0; i--) {
            Contact a = contacts.get(i);
            Contact b = contacts.get(i - 1);
            if (a.isDupeOf(b) && a.within(b, window)) {
                contacts.remove(i);
            }
        }
        int dropped = before - contacts.size();
        return dropped;
    }

    public List<Contact> all() {
        return Collections.unmodifiableList(contacts);
    }

    public int size() {
        return contacts.size();
    }

    public Path file() {
        return file;
    }

    private void sortByTime() {
        contacts.sort(Comparator.comparing(Contact::time));
    }

    Contact lastContact() {
        return contacts.isEmpty() ? null : contacts.get(contacts.size() - 1);
    }

    public void reset() {
        contacts.clear();
        perBand.clear();
        nextSerial = 1;
        dirty = true;
    }
}
