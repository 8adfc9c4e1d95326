// SPDX-License-Identifier: BSL-1.0
// All workloads with Apache Pekko classic actors: `Peer WORKLOAD COUNT WORKERS [PARAM [TOKENS]]`. Each is run several times in the
// process to warm up; the figure is the median of the last three. timers_*: Netty's HashedWheelTimer.
import com.typesafe.config.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import org.apache.pekko.actor.*;
import org.apache.pekko.pattern.Patterns;

public class Peer {
  static double warm = Double.parseDouble(System.getProperty("warm", "3")); static String workload; static long count, param, tokens = 1000; static int workers;
  static final class Go {} static final Go GO = new Go();
  static final class Credit {} static final Credit CREDIT = new Credit();
  record Ball(long left) {}
  record Meet(ActorRef next) {}
  record Item(long a, long b) {}
  record Hop(int left) {}
  record Question(long v) {}
  record Answer(long v) {}
  record Job(long v) {}
  record Stamped(long left, long sent) {}
  static CountDownLatch done; 
  static long now() { return System.nanoTime(); }
  static long spin(long n, long x) { for (long i = 0; i < n; i++) x = x * 6364136223846793005L + 1442695040888963407L; return x; }
  static volatile long sinkv;
  static long loops(long ns) {
    if (ns == 0) return 0;
    double best = 0;
    for (int t = 0; t < 40; t++) { long b = now(); sinkv += spin(2000000, t); long e = now(); best = Math.max(best, 2e6 / (e - b)); }
    return (long) (ns * best);
  }
  static double status(String name) {
    try { for (String l : Files.readAllLines(Path.of("/proc/self/status"))) if (l.startsWith(name)) return Double.parseDouble(l.split("\\s+")[1]) * 1024; } catch (Exception e) {}
    return 0;
  }
  static double cpu() { return ((com.sun.management.OperatingSystemMXBean) java.lang.management.ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime(); }
  static void say(String figures) {
    System.out.printf(Locale.ROOT, "{\"workload\": \"%s\", \"count\": %d, \"workers\": %d, \"param\": %d, %s, \"peak_mb\": %.1f}%n", workload, count, workers, param, figures, status("VmHWM:") / 1048576);
  }
  static String f(String name, double v) { return String.format(Locale.ROOT, "\"%s\": %.3f", name, v); }
  static String quant(long[] v, String p) {
    Arrays.sort(v);
    return f(p + "p50_us", v[(int) (.5 * (v.length - 1))] / 1e3) + ", " + f(p + "p95_us", v[(int) (.95 * (v.length - 1))] / 1e3) + ", " + f(p + "p99_us", v[(int) (.99 * (v.length - 1))] / 1e3) + ", " + f(p + "max_us", v[v.length - 1] / 1e3);
  }
  static ActorSystem sys;
  interface Body { void on(UntypedAbstractActor self, Object m) throws Exception; }
  // rings
  public static class Player extends UntypedAbstractActor {
    ActorRef next;
    public void onReceive(Object m) {
      if (m instanceof Ball b) { if (b.left > 1) next.tell(new Ball(b.left - 1), getSelf()); else done.countDown(); }
      else if (m instanceof Meet x) next = x.next;
    }
  }
  public static class Consumer extends UntypedAbstractActor {
    final ActorRef p; final long burst; long seen;
    public Consumer(ActorRef p, Long burst) { this.p = p; this.burst = burst; }
    public void onReceive(Object m) { if (++seen % burst == 0) p.tell(CREDIT, getSelf()); }
  }
  public static class Producer extends UntypedAbstractActor {
    final long burst; long bursts; ActorRef to;
    public Producer(Long burst) { this.burst = burst; bursts = count / burst; }
    public void preStart() { to = getContext().actorOf(Props.create(Consumer.class, getSelf(), burst)); }
    void send() { bursts--; for (long i = 0; i < burst; i++) to.tell(new Item(i, i), getSelf()); }
    public void onReceive(Object m) { if (m == GO) send(); else if (bursts > 0) send(); else done.countDown(); }
  }
  public static class Counter extends UntypedAbstractActor {
    long left; public Counter(Long n) { left = n; }
    public void onReceive(Object m) { if (--left == 0) done.countDown(); }
  }
  public static class Feeder extends UntypedAbstractActor {
    final ActorRef to; long left; public Feeder(ActorRef to, Long n) { this.to = to; left = n; }
    public void onReceive(Object m) { for (int i = 0; i < 100 && left > 0; i++) to.tell(new Item(left--, 0), getSelf()); if (left > 0) getSelf().tell(GO, getSelf()); }
  }
  static final class Tally { ActorRef[] all; long[] seen; long loops; }
  public static class Hopper extends UntypedAbstractActor {
    final Tally t; final int me; long s; long seen;
    public Hopper(Tally t, Integer me) { this.t = t; this.me = me; s = me * 7919L + 1; }
    public void onReceive(Object m) {
      if (m == GO) { t.seen[me] = seen; done.countDown(); return; }
      Hop h = (Hop) m; seen++;
      if (t.loops > 0) s += spin(t.loops, 1) & 1;
      if (h.left <= 1) { done.countDown(); return; }
      s ^= s << 13; s ^= s >>> 7; s ^= s << 17;
      t.all[(int) Long.remainderUnsigned(s, t.all.length)].tell(new Hop(h.left - 1), getSelf());
    }
  }
  public static class Oracle extends UntypedAbstractActor { public void onReceive(Object m) { getSender().tell(new Answer(((Question) m).v + 1), getSelf()); } }
  public static class Asker extends UntypedAbstractActor {
    ActorRef o; long i = 0;
    public void preStart() { o = getContext().actorOf(Props.create(Oracle.class)); }
    void ask() { Patterns.pipe(Patterns.ask(o, new Question(i), java.time.Duration.ofSeconds(10)), getContext().getDispatcher()).to(getSelf()); }
    public void onReceive(Object m) {
      if (m == GO) { ask(); return; }
      if (!(m instanceof Answer a) || a.v != i + 1) { System.err.println(m); System.exit(1); }
      if (++i < count) ask(); else done.countDown();
    }
  }
  public static class Mayfly extends UntypedAbstractActor {
    public void onReceive(Object m) { getContext().stop(getSelf()); }
    public void postStop() { done.countDown(); }
  }
  public static class Mother extends UntypedAbstractActor {
    long left = count; final Props props = Props.create(Mayfly.class, Mayfly::new);
    public void onReceive(Object m) { getContext().actorOf(props).tell(new Ball(1), getSelf()); if (--left > 0) getSelf().tell(GO, getSelf()); }
  }
  public static class Idler extends UntypedAbstractActor { public void onReceive(Object m) {} }
  public static class Nursery extends UntypedAbstractActor {
    final Props props = Props.create(Idler.class, Idler::new);
    public void onReceive(Object m) { long n = (Long) m; for (int i = 0; i < 1000 && n > 0; i++, n--) getContext().actorOf(props); if (n > 0) getSelf().tell(n, getSelf()); else done.countDown(); }
  }
  static long[][] samples; static AtomicInteger used = new AtomicInteger();
  static long[] lat;
  public static class Relay extends UntypedAbstractActor {
    ActorRef next;
    public void onReceive(Object m) {
      if (m instanceof Stamped s) {
        if (s.sent != 0) { int i = used.getAndIncrement(); if (i < lat.length) lat[i] = now() - s.sent; }
        if (s.left <= 1) { done.countDown(); return; }
        next.tell(new Stamped(s.left - 1, s.left % 16 == 0 ? now() : 0), getSelf());
      } else if (m instanceof Meet x) next = x.next;
    }
  }
  public static class Laborer extends UntypedAbstractActor {
    final ActorRef to; final long loops; long x; public Laborer(ActorRef to, Long l) { this.to = to; loops = l; }
    public void onReceive(Object m) { if (loops > 0) x += spin(loops, 1); to.tell(new Answer(((Job) m).v + 1), getSelf()); }
  }
  public static class Master extends UntypedAbstractActor {
    final int size = (int) tokens; ActorRef[] all = new ActorRef[size]; long left, sum, rounds = count, began; final long loops; int k = 0;
    public Master(Long l) { loops = l; }
    public void preStart() { for (int i = 0; i < size; i++) all[i] = getContext().actorOf(Props.create(Laborer.class, getSelf(), loops)); }
    void round() { began = now(); left = size; sum = 0; for (int i = 0; i < size; i++) all[i].tell(new Job(i), getSelf()); }
    public void onReceive(Object m) {
      if (m == GO) { round(); return; }
      sum += ((Answer) m).v;
      if (--left > 0) return;
      if (sum != (long) size * (size + 1) / 2) System.exit(1);
      lat[k++] = now() - began;
      if (--rounds > 0) round(); else done.countDown();
    }
  }
  public static class Slow extends UntypedAbstractActor {
    long left; final CountDownLatch begun, open; public Slow(Long n, CountDownLatch b, CountDownLatch o) { left = n; begun = b; open = o; }
    public void onReceive(Object m) throws Exception { if (m == GO) { begun.countDown(); open.await(); } else if (--left == 0) done.countDown(); }
  }
  static ActorRef[] players(int size, Class<?> of) {
    ActorRef[] all = new ActorRef[size];
    for (int i = 0; i < size; i++) all[i] = sys.actorOf(Props.create(of));
    for (int i = 0; i < size; i++) all[i].tell(new Meet(all[(i + 1) % size]), ActorRef.noSender());
    return all;
  }
  static void settle() throws Exception { Thread.sleep(50); }
  static double cpuUsed;
  static double clocked(Runnable start) throws Exception { settle(); double c = cpu(); long b = now(); start.run(); done.await(); long e = now(); cpuUsed = cpu() - c; return e - b; }
  public static class Kick extends UntypedAbstractActor { final Runnable r; public Kick(Runnable r) { this.r = r; } public void onReceive(Object m) { r.run(); } }
  static double kicked(Runnable r) throws Exception { ActorRef k = sys.actorOf(Props.create(Kick.class, () -> new Kick(r))); return clocked(() -> k.tell(GO, ActorRef.noSender())); }
  static double ring(int size, int balls) throws Exception {
    done = new CountDownLatch(balls); ActorRef[] all = players(size, Player.class);
    double ns = kicked(() -> { for (int i = 0; i < balls; i++) all[i * size / balls].tell(new Ball(count / balls), ActorRef.noSender()); });
    for (ActorRef a : all) sys.stop(a);
    return ns / count;
  }
  static double bursts(long burst) throws Exception { done = new CountDownLatch(1); ActorRef p = sys.actorOf(Props.create(Producer.class, burst)); double ns = clocked(() -> p.tell(GO, ActorRef.noSender())); sys.stop(p); return ns / count; }
  static double fanIn() throws Exception {
    done = new CountDownLatch(1); long each = count / 4; ActorRef to = sys.actorOf(Props.create(Counter.class, each * 4));
    ActorRef[] fs = new ActorRef[4]; for (int i = 0; i < 4; i++) fs[i] = sys.actorOf(Props.create(Feeder.class, to, each));
    double ns = kicked(() -> { for (ActorRef x : fs) x.tell(GO, ActorRef.noSender()); }); for (ActorRef x : fs) sys.stop(x); sys.stop(to); return ns / count;
  }
  static double work(int size, int toks, long loops) throws Exception {
    Tally t = new Tally(); t.all = new ActorRef[size]; t.seen = new long[size]; t.loops = loops;
    for (int i = 0; i < size; i++) t.all[i] = sys.actorOf(Props.create(Hopper.class, t, i));
    done = new CountDownLatch(toks); long each = count / toks;
    double ns = kicked(() -> { for (int i = 0; i < toks; i++) t.all[(int) ((long) i * size / toks % size)].tell(new Hop((int) each), ActorRef.noSender()); });
    done = new CountDownLatch(size); for (ActorRef a : t.all) a.tell(GO, ActorRef.noSender()); done.await();
    long sum = 0; for (long x : t.seen) sum += x;
    if (sum != each * toks) { System.err.println("missing " + sum); System.exit(1); }
    for (ActorRef a : t.all) sys.stop(a);
    return ns / sum;
  }
  interface Run { double run() throws Exception; }
  static void repeat(String name, Run r, double least) throws Exception {
    long b = now(); int n = 0;
    while (n < 3 || (now() - b) / 1e9 < least) { r.run(); n++; }
    double[] v = new double[3]; for (int i = 0; i < 3; i++) v[i] = r.run(); Arrays.sort(v);
    say(f(name, v[1]) + ", " + f("warm_ups", n));
  }
  static void foreign(int targets) throws Exception {
    Run one = () -> {
      int threads = (int) param; long each = count / threads / targets * targets;
      done = new CountDownLatch(targets); ActorRef[] to = new ActorRef[targets];
      for (int i = 0; i < targets; i++) to[i] = sys.actorOf(Props.create(Counter.class, each * threads / targets));
      CountDownLatch start = new CountDownLatch(1); Thread[] ts = new Thread[threads];
      for (int t = 0; t < threads; t++) { final int tt = t; ts[t] = new Thread(() -> { try { start.await(); } catch (Exception e) {} int at = tt * 7919 % targets; for (long i = 0; i < each; i++) { to[at].tell(new Item(i, tt), ActorRef.noSender()); if (++at == targets) at = 0; } }); ts[t].start(); }
      double ns = clocked(start::countDown); for (Thread t : ts) t.join(); for (ActorRef a : to) sys.stop(a); return ns / (each * threads);
    };
    repeat("ns", one, warm);
  }
  static void timersSteady() {
    var timer = new io.netty.util.HashedWheelTimer(r -> { Thread t = new Thread(r); t.setDaemon(true); return t; }, 1, TimeUnit.MILLISECONDS, 32768);
    timer.start(); int n = (int) count; var live = new io.netty.util.Timeout[n]; io.netty.util.TimerTask task = x -> {}; long[] s = {88172645463325252L};
    LongSupplierX rnd = () -> { s[0] ^= s[0] << 13; s[0] ^= s[0] >>> 7; s[0] ^= s[0] << 17; return s[0] >>> 1; };
    System.gc(); double b0 = status("VmRSS:");
    for (int i = 0; i < n; i++) live[i] = timer.newTimeout(task, 15000 + rnd.get() % 15000, TimeUnit.MILLISECONDS);
    double b1 = status("VmRSS:");
    double[] ns = new double[5]; double c = 0;
    for (int r = 0; r < 5; r++) { double c0 = cpu(); long b = now(); for (long i = 0; i < param; i++) { int k = (int) (rnd.get() % n); live[k].cancel(); live[k] = timer.newTimeout(task, 15000 + rnd.get() % 15000, TimeUnit.MILLISECONDS); } ns[r] = (now() - b) / (double) param; c = (cpu() - c0) / param; }
    double[] last = {ns[2], ns[3], ns[4]}; Arrays.sort(last);
    say(f("ns", last[1]) + ", " + f("cpu_ns", c) + ", " + f("bytes_each", (b1 - b0) / n)); System.exit(0);
  }
  interface LongSupplierX { long get(); }
  static void timersFire() throws Exception {
    var timer = new io.netty.util.HashedWheelTimer(1, TimeUnit.MILLISECONDS, 2048); timer.start(); int n = (int) count; String out = "";
    for (int r = 0; r < 4; r++) {
      long[] late = new long[n]; long[] s = {88172645463325252L + r}; done = new CountDownLatch(n); double c0 = cpu(); long at = now() + 200_000_000L;
      for (int i = 0; i < n; i++) { s[0] ^= s[0] << 13; s[0] ^= s[0] >>> 7; s[0] ^= s[0] << 17; long due = at + (s[0] >>> 1) % 1_000_000_000L; int k = i; timer.newTimeout(x -> { late[k] = now() - due; done.countDown(); }, due - now(), TimeUnit.NANOSECONDS); }
      done.await(); out = f("cpu_ms", (cpu() - c0) / 1e6) + ", " + quant(late, "late_");
    }
    say(out); System.exit(0);
  }
  public static void main(String[] a) throws Exception {
    workload = a[0]; count = Long.parseLong(a[1]); workers = Integer.parseInt(a[2]); if (a.length > 3) param = Long.parseLong(a[3]); if (a.length > 4) tokens = Long.parseLong(a[4]);
    if (workload.equals("timers_steady")) timersSteady();
    if (workload.equals("timers_fire")) timersFire();
    sys = ActorSystem.create("p", ConfigFactory.parseString("pekko.log-dead-letters=off\npekko.actor.default-dispatcher { fork-join-executor { parallelism-min = " + workers + "\n parallelism-factor = 1.0\n parallelism-max = " + workers + " } }").withFallback(ConfigFactory.load()));
    switch (workload) {
      case "ping_pong" -> repeat("ns", () -> ring(2, 1), warm);
      case "ring_1" -> repeat("ns", () -> ring(1000, 1), warm);
      case "ring_100" -> repeat("ns", () -> ring(1000, 100), warm);
      case "bursts" -> repeat("ns", () -> bursts(100), warm);
      case "one_burst" -> repeat("ns", () -> bursts(count), warm);
      case "fan_in" -> repeat("ns", Peer::fanIn, warm);
      case "random" -> repeat("ns", () -> work(10000, 10000, 0), warm);
      case "work" -> { long l = loops(param); repeat("ns", () -> work(1000, (int) tokens, l), warm); }
      case "ask" -> repeat("ns", () -> { done = new CountDownLatch(1); ActorRef k = sys.actorOf(Props.create(Asker.class)); double ns = clocked(() -> k.tell(GO, ActorRef.noSender())); sys.stop(k); return ns / count; }, warm);
      case "spawn_stop" -> repeat("ns", () -> { done = new CountDownLatch((int) count); ActorRef k = sys.actorOf(Props.create(Mother.class)); double ns = clocked(() -> k.tell(GO, ActorRef.noSender())); sys.stop(k); return ns / count; }, warm);
      case "idle_actors" -> {
        done = new CountDownLatch(1); ActorRef k = sys.actorOf(Props.create(Nursery.class)); k.tell(10000L, ActorRef.noSender()); done.await(); System.gc(); System.gc(); Thread.sleep(300);
        double h0 = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory(), before = status("VmRSS:"); done = new CountDownLatch(1); long b = now(); k.tell(count, ActorRef.noSender()); done.await(); long e = now(); double rss = status("VmRSS:") - before; System.gc(); System.gc();
        double h1 = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        say(f("bytes_each", rss / count) + ", " + f("heap_bytes_each", (h1 - h0) / count) + ", " + f("ns", (e - b) / (double) count));
      }
      case "fair" -> {
        String out = "";
        for (int r = 0; r < 6; r++) { int size = (int) param; lat = new long[(int) (count / 16 + size)]; used.set(0); done = new CountDownLatch(size); ActorRef[] all = players(size, Relay.class); double ns = kicked(() -> { for (ActorRef x : all) x.tell(new Stamped(count / size, 0), ActorRef.noSender()); }); out = f("ns", ns / count) + ", " + quant(Arrays.copyOf(lat, Math.min(lat.length, used.get())), ""); for (ActorRef x : all) sys.stop(x); }
        say(out);
      }
      case "rounds" -> {
        long l = loops(param); String out = "";
        for (int r = 0; r < 4; r++) { lat = new long[(int) count]; done = new CountDownLatch(1); ActorRef k = sys.actorOf(Props.create(Master.class, l)); double ns = clocked(() -> k.tell(GO, ActorRef.noSender())); out = f("us", ns / 1e3 / count) + ", " + f("cpu_us", cpuUsed / 1e3 / count) + ", " + quant(lat, ""); sys.stop(k); }
        say(out);
      }
      case "foreign_one" -> foreign(1);
      case "foreign_many" -> foreign(1000);
      case "queued" -> {
        String out = ""; double before0 = 0;
        for (int r = 0; r < 2; r++) {
          done = new CountDownLatch(1); CountDownLatch begun = new CountDownLatch(1), open = new CountDownLatch(1); ActorRef s = sys.actorOf(Props.create(Slow.class, () -> new Slow(count, begun, open))); s.tell(GO, ActorRef.noSender()); begun.await();
          double before = status("VmRSS:"); if (r == 0) before0 = before; long b = now(); for (long i = 0; i < count; i++) s.tell(new Item(i, i), ActorRef.noSender()); long e = now(); double full = status("VmRSS:"); long d = now(); open.countDown(); done.await(); long g = now(); Thread.sleep(500);
          out += f("r" + r + "_bytes_each", (full - before) / count) + ", " + f("r" + r + "_send_ns", (e - b) / (double) count) + ", " + f("r" + r + "_drain_ns", (g - d) / (double) count) + ", " + f("r" + r + "_kept_mb", (status("VmRSS:") - before0) / 1048576) + ", ";
        }
        Thread.sleep(3000); say(out + f("kept_3s_mb", (status("VmRSS:") - before0) / 1048576));
      }
      default -> System.exit(2);
    }
    System.out.flush(); Runtime.getRuntime().halt(0);
  }
}
