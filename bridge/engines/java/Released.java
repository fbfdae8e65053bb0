package bridge.jvm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/**
 * Whether a class is one that Hudi released: told by the bytes of its class file, its bases' and those that they call.
 *
 * Names and jars say nothing: forks and fat jars have changed classes under Hudi's names. The digests are those of
 * payloads/released.py.
 */
final class Released {
    static final String DIGESTS = "released_classes.txt";
    private static Set names;

    private Released() {
    }

    /** Whether this loader's class of this name, and all that decides what it does, is as a release has it. */
    static synchronized boolean has(String name) {
        if (names == null) {
            names = found();
        }
        return names.contains(name);
    }

    /** Returns the classes of the release whose classes are all here unchanged; none where one of them is not. */
    private static Set found() {
        try {
            Map releases = known();
            Map own = new HashMap();
            for (Iterator i = releases.values().iterator(); i.hasNext();) {
                Map classes = (Map) i.next();
                if (isHere(classes, own)) {
                    return classes.keySet();
                }
            }
            return new HashSet();
        } catch (IOException unreadable) {
            throw new IllegalStateException(unreadable);
        }
    }

    private static Map known() throws IOException {
        Map releases = new HashMap();
        BufferedReader lines = new BufferedReader(
            new InputStreamReader(Released.class.getResourceAsStream(DIGESTS), "US-ASCII"));
        try {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ");
                Map classes = (Map) releases.get(words[0]);
                if (classes == null) {
                    classes = new HashMap();
                    releases.put(words[0], classes);
                }
                Set digests = (Set) classes.get(words[1]);
                if (digests == null) {
                    digests = new HashSet();
                    classes.put(words[1], digests);
                }
                digests.add(words[2]);
            }
        } finally {
            lines.close();
        }
        return releases;
    }

    private static boolean isHere(Map classes, Map own) throws IOException {
        for (Iterator i = classes.entrySet().iterator(); i.hasNext();) {
            Map.Entry one = (Map.Entry) i.next();
            if (!own.containsKey(one.getKey())) {
                own.put(one.getKey(), digest((String) one.getKey()));
            }
            if (!((Set) one.getValue()).contains(own.get(one.getKey()))) {
                return false;
            }
        }
        return true;
    }

    /** Returns the digest of the class file that this loader has for a name; null where it has none. */
    private static String digest(String name) throws IOException {
        InputStream file = Released.class.getClassLoader().getResourceAsStream(name.replace('.', '/') + ".class");
        if (file == null) {
            return null;
        }
        try {
            MessageDigest sum = MessageDigest.getInstance("SHA-256");
            byte[] part = new byte[8192];
            for (int size = file.read(part); size >= 0; size = file.read(part)) {
                sum.update(part, 0, size);
            }
            StringBuilder text = new StringBuilder();
            byte[] bytes = sum.digest();
            for (int i = 0; i < bytes.length; i++) {
                text.append(Character.forDigit(bytes[i] >> 4 & 15, 16)).append(Character.forDigit(bytes[i] & 15, 16));
            }
            return text.toString();
        } catch (NoSuchAlgorithmException absent) {
            throw new IllegalStateException(absent);
        } finally {
            file.close();
        }
    }
}
