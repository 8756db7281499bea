import com.espertech.esper.common.client.EPCompiled;
import com.espertech.esper.common.client.EventBean;
import com.espertech.esper.common.client.configuration.Configuration;
import com.espertech.esper.common.client.json.util.EventSenderJson;
import com.espertech.esper.compiler.client.CompilerArguments;
import com.espertech.esper.compiler.client.EPCompilerProvider;
import com.espertech.esper.runtime.client.EPDeployment;
import com.espertech.esper.runtime.client.EPRuntime;
import com.espertech.esper.runtime.client.EPRuntimeProvider;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Esper beside fmd's storm: EsperStorm EVENTS RULE. The events, a JSON object a line, are read into memory; with each line on standard
 * input they go through a fresh deployment of the rule, and what that took and whom it found is printed as a line of JSON.
 */
public class EsperStorm {
  private static final String TYPE = "Ereport";

  private final byte[] events;
  private final EPCompiled rule;
  private final EPRuntime runtime;
  private final Set<Object> sick = new TreeSet<>();

  EsperStorm(Path events, Path rule) throws Exception {
    this.events = Files.readAllBytes(events);
    Configuration configuration = new Configuration();
    this.rule = EPCompilerProvider.getCompiler().compile(Files.readString(rule), new CompilerArguments(configuration));
    this.runtime = EPRuntimeProvider.getRuntime("storm", configuration);
    this.runtime.initialize();
  }

  /** Calls use with each line's text: making a String of it is work that whoever is sent bytes has to do. */
  private int forEachLine(Consumer<String> use) {
    int count = 0;
    for (int from = 0, at = 0; at < events.length; at++) {
      if (events[at] == '\n') {
        use.accept(new String(events, from, at - from, StandardCharsets.UTF_8));
        from = at + 1;
        count++;
      }
    }
    return count;
  }

  private void deploy() throws Exception {
    runtime.getDeploymentService().undeployAll();
    sick.clear();
    EPDeployment deployed = runtime.getDeploymentService().deploy(rule);
    runtime.getDeploymentService().getStatement(deployed.getDeploymentId(), "sick").addListener((found, gone, statement, from) -> {
      for (EventBean one : found) {
        sick.add(one.get("vdev"));
      }
    });
  }

  private String turn() throws Exception {
    deploy();
    long begun = System.nanoTime();
    int count = forEachLine(line -> runtime.getEventService().sendEventJson(line, TYPE));
    double seconds = (System.nanoTime() - begun) / 1e9;
    String found = sick.toString();

    deploy();
    EventSenderJson sender = (EventSenderJson) runtime.getEventService().getEventSender(TYPE);
    List<Object> parsed = new ArrayList<>(count);
    forEachLine(line -> parsed.add(sender.parse(line)));
    begun = System.nanoTime();
    parsed.forEach(sender::sendEvent);
    double parsedSeconds = (System.nanoTime() - begun) / 1e9;
    return "{\"events\":" + count + ",\"seconds\":" + seconds + ",\"parsed_seconds\":" + parsedSeconds + ",\"sick\":" + found + "}";
  }

  public static void main(String[] arguments) throws Exception {
    EsperStorm storm = new EsperStorm(Path.of(arguments[0]), Path.of(arguments[1]));
    BufferedReader asked = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    while (asked.readLine() != null) {
      System.out.println(storm.turn());
    }
    System.exit(0); // Esper's own threads would keep it
  }
}
