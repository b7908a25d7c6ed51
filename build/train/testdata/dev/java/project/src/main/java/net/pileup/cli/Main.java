package net.pileup.cli;

import java.io.FileReader;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;

import net.pileup.cluster.ClusterClient;
import net.pileup.io.AdifReader;
import net.pileup.io.CabrilloWriter;
import net.pileup.model.Callsign;
import net.pileup.model.Contact;
import net.pileup.score.DxRule;
import net.pileup.score.ScoreCard;
import net.pileup.store.Logbook;
import net.pileup.util.Grid;

/** Command line of the logger. */
public class Main {

    private static final String USAGE = "usage: pileup [-v] [-c CALL] [-t CONTEST] import|score|export|spots|beam FILE";
    private static final int EXIT_USAGE = 2;
    private static final int POLL_SECONDS = 15;

    private boolean verbose;
    private String call = "DL0XX";
    private String contest = "CQ-WW-CW";
    private String command;
    private String target;

    public static void main(String[] args) {
        Main m = new Main();
        if (!m.parse(args)) {
            System.err.println(USAGE);
            System.exit(EXIT_USAGE);
        }
        try {
            m.run();
        } catch (IOException e) {
            System.err.println("pileup: " + e.getMessage());
            System.exit(1);
        }
    }

    boolean parse(String[] args) {
        int i = 0;
        while (i < args.length && args[i].startsWith("-")) {
            switch (args[i]) {
                case "-v":
                    verbose = true;
                    break;
                case "-c":
                    call = args[++i];
                    break;
                case "-t":
                    contest = args[++i];
                    break;
                default:
                    return false;
            }
            i++;
        }
        System.out.println("args = " + Arrays.toString(args));
        if (args.length - i != 2) {
            return false;
        }
        command = args[i];
        target = args[i + 1];
        return true;
    }

    void run() throws IOException {
        if (command.equals("import")) {
            importLog(Paths.get(target), Paths.get("pileup.log"));
        } else if (command.equals("score")) {
            score(Paths.get(target));
        } else if (command.equals("export")) {
            export(Paths.get(target));
        } else if (command.equals("spots")) {
            spots(target);
        } else {
            beam(target, "JO62");
        }
    }

    private void importLog(Path from, Path to) throws IOException {
        Logbook book = new Logbook(to);
        for (Contact c : load(from)) {
            book.add(c, true);
        }
        book.save();
        System.out.println("imported " + book.size() + " contacts");
    }

    private void score(Path path) throws IOException {
        ScoreCard card = new ScoreCard(new DxRule(Callsign.parse(call)));
        Logbook book = new Logbook(path);
        for (Contact c : load(path)) {
            boolean dupe = book.add(c, true);
            card.add(c, dupe);
        }
        System.out.println(card.summary());
        if (verbose) {
            System.out.println(String.format("dupes: %.1f%%", card.dupeRatio()));
        }
    }

    private void export(Path path) throws IOException {
        CabrilloWriter w = new CabrilloWriter(Callsign.parse(call), contest);
        w.write(Files.newBufferedWriter(Paths.get(call + ".cbr")), load(path), false);
    }

    private void spots(String host) throws IOException {
        ClusterClient client = new ClusterClient(host, ClusterClient.DEFAULT_PORT);
        client.connect(Callsign.parse(call));
        client.poll();
        for (ClusterClient.Spot s : client.spots()) {
            System.out.println(s.describe());
        }
        client.close();
    }

    private void beam(String to, String from) {
        Grid here = Grid.parse(from);
        Grid there = Grid.parse(to);
        System.out.println(Math.round(here.bearing(there)) + " deg, " + Math.round(here.distanceKm(there)) + " km");
    }

    private List<Contact> load(Path path) throws IOException {
        try (Reader in = new FileReader(path.toFile())) {
            return new AdifReader(true).readAll(in);
        }
    }

    private static void pause() throws InterruptedException {
        Thread.sleep(POLL_SECONDS * 1000L);
    }
}
