package bridge.jvm;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.function.Function;

/** Runs steps on payloads in a JVM of its own: a request a line on standard input, an answer a line on output. */
public final class Elsewhere {
    private Elsewhere() {
    }

    /** Takes the jars as arguments. */
    public static void main(String[] jars) throws Exception {
        PrintStream answers = new PrintStream(System.out, true, "UTF-8");
        System.setOut(System.err);
        Class calls = JarLoader.of(jars).loadClass("bridge.jvm.PayloadCalls");
        Function target = (Function) calls.getConstructor(new Class[0]).newInstance(new Object[0]);
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String request = requests.readLine(); request != null; request = requests.readLine()) {
            answers.println((String) target.apply(request));
        }
        System.exit(0);
    }
}
