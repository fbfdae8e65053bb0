package bridge.jvm;

import java.util.function.Function;

/** What the driver's gateway calls: it tells classes apart by name alone, so it must see one class of this name. */
public final class Calls {
    private final Function target;

    public Calls(Object target) {
        this.target = (Function) target;
    }

    public String run(String request) {
        return (String) target.apply(request);
    }
}
