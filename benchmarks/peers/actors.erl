%% SPDX-License-Identifier: BSL-1.0
%% The workloads of benchmarks/actors/threads.cpp in Erlang:
%%     erl +S WORKERS:WORKERS -noshell -pa FOLDER -run actors main WORKLOAD COUNT WORKERS
%% prints the same line of JSON. The starter is a process here too. (A module cannot be called `erlang`, which exists.)
-module(actors).
-behaviour(gen_server).
-export([main/1]).
-export([init/1, handle_call/3, handle_cast/2]).

main([Workload, CountText, Workers]) ->
    Count = list_to_integer(CountText),
    Figures = run(Workload, Count),
    io:format("{\"workload\": \"~s\", \"count\": ~s, \"workers\": ~s, ~s, \"peak_mb\": ~.1f}~n",
              [Workload, CountText, Workers, Figures, status("VmHWM:") / 1024 / 1024]),
    halt(0).

run("ping_pong", Count) -> per_message(Count, 1, fun(Main) -> ring(Main, Count, 2, 1) end);
run("ring_1", Count) -> per_message(Count, 1, fun(Main) -> ring(Main, Count, 1000, 1) end);
run("ring_100", Count) -> per_message(Count, 100, fun(Main) -> ring(Main, Count, 1000, 100) end);
run("bursts", Count) -> per_message(Count, 1, fun(Main) -> producer(Main, Count, 100) end);
run("one_burst", Count) -> per_message(Count, 1, fun(Main) -> producer(Main, Count, Count) end);
run("fan_in", Count) -> per_message(Count, 1, fun(Main) -> fan_in(Main, Count) end);
run("random", Count) -> per_message(Count, 10000, fun(Main) -> random_sends(Main, Count, 10000) end);
run("ask", Count) -> per_message(Count, 1, fun(Main) -> asker(Main, Count) end);
run("spawn_stop", Count) -> per_message(Count, 1, fun(Main) -> mother(Main, Count) end);
run("idle_actors", Count) -> idle_actors(Count);
run("scaling_1", Count) -> scaling(Count, 1);
run("scaling_10", Count) -> scaling(Count, 10);
run("scaling_100", Count) -> scaling(Count, 100);
run("scaling_1000", Count) -> scaling(Count, 1000).

%% Running the workloads.

per_message(Count, Arrivals, Starter) ->
    io_lib:format("\"ns\": ~.3f", [nanoseconds(Arrivals, Starter) / Count]).

%% From the start until all have reported that they are done.
nanoseconds(Arrivals, Starter) ->
    Main = self(),
    First = spawn(fun() -> Starter(Main) end),
    receive ready -> ok end,
    Began = erlang:monotonic_time(nanosecond),
    First ! go,
    await(Arrivals),
    erlang:monotonic_time(nanosecond) - Began.

await(0) -> ok;
await(Left) -> receive done -> await(Left - 1) end.

status(Line) ->
    {ok, Text} = file:read_file("/proc/self/status"),
    {match, [Kilobytes]} = re:run(Text, [Line, "\\s*(\\d+)"], [{capture, all_but_first, list}]),
    1024 * list_to_integer(Kilobytes).

%% Ping-pong and rings.

ring(Main, Count, Size, Balls) ->
    All = [spawn(fun() -> receive {meet, Next} -> player(Main, Next) end end) || _ <- lists:seq(1, Size)],
    meet(All),
    Main ! ready,
    receive go -> ok end,
    Tuple = list_to_tuple(All),
    [element(I * Size div Balls + 1, Tuple) ! {ball, Count div Balls} || I <- lists:seq(0, Balls - 1)].

meet([First | Rest] = All) ->
    [One ! {meet, Next} || {One, Next} <- lists:zip(All, Rest ++ [First])].

player(Main, Next) ->
    receive
        {ball, Left} when Left > 1 -> Next ! {ball, Left - 1}, player(Main, Next);
        {ball, _} -> Main ! done, player(Main, Next)
    end.

%% One to one, in bursts.

producer(Main, Count, Burst) ->
    Self = self(),
    To = spawn(fun() -> consumer(Self, Burst, Burst) end),
    Main ! ready,
    receive go -> ok end,
    bursts(Main, To, Count div Burst, Burst).

bursts(Main, _, 0, _) -> Main ! done;
bursts(Main, To, Left, Burst) ->
    items(To, Burst),
    receive credit -> bursts(Main, To, Left - 1, Burst) end.

items(_, 0) -> ok;
items(To, Left) -> To ! {item, Left}, items(To, Left - 1).

consumer(Producer, Burst, 0) -> Producer ! credit, consumer(Producer, Burst, Burst);
consumer(Producer, Burst, Left) -> receive {item, _} -> consumer(Producer, Burst, Left - 1) end.

%% Many to one.

fan_in(Main, Count) ->
    Each = Count div 4,
    To = spawn(fun() -> counter(Main, Each * 4) end),
    Feeders = [spawn(fun() -> feeder(To, Each) end) || _ <- lists:seq(1, 4)],
    Main ! ready,
    receive go -> ok end,
    [Feeder ! more || Feeder <- Feeders].

counter(Main, 0) -> Main ! done;
counter(Main, Left) -> receive {item, _} -> counter(Main, Left - 1) end.

feeder(_, 0) -> ok;
feeder(To, Left) ->
    receive more -> ok end,
    Now = min(100, Left),
    items(To, Now),
    self() ! more,
    feeder(To, Left - Now).

%% Random pairs.

random_sends(Main, Count, Size) ->
    All = [spawn(fun() -> hopper(Main, I * 7919 + 1) end) || I <- lists:seq(0, Size - 1)],
    persistent_term:put(all, list_to_tuple(All)),
    Main ! ready,
    receive go -> ok end,
    [One ! {hop, Count div Size} || One <- All].

hopper(Main, State) ->
    receive
        {hop, Left} when Left > 1 ->
            Random = (State * 1103515245 + 12345) band 16#7fffffff,
            All = persistent_term:get(all),
            element((Random bsr 8) rem tuple_size(All) + 1, All) ! {hop, Left - 1},
            hopper(Main, Random);
        {hop, _} -> Main ! done, hopper(Main, State)
    end.

%% Asks: a gen_server in its usual form.

init([]) -> {ok, none}.
handle_call(Value, _From, State) -> {reply, Value + 1, State}.
handle_cast(_, State) -> {noreply, State}.

asker(Main, Count) ->
    {ok, Oracle} = gen_server:start_link(?MODULE, [], []),
    Main ! ready,
    receive go -> ok end,
    ask(Oracle, Count),
    Main ! done.

ask(_, 0) -> ok;
ask(Oracle, Left) ->
    Answer = gen_server:call(Oracle, Left, 10000),
    Answer = Left + 1,
    ask(Oracle, Left - 1).

%% Spawning and stopping.

mother(Main, Count) ->
    Ended = atomics:new(1, []),
    Main ! ready,
    receive go -> ok end,
    births(Main, Ended, Count, Count).

births(_, _, _, 0) -> ok;
births(Main, Ended, Count, Left) ->
    Child = spawn(fun() -> mayfly(Main, Ended, Count) end),
    Child ! {ball, 1},
    births(Main, Ended, Count, Left - 1).

mayfly(Main, Ended, Count) ->
    receive {ball, _} -> ok end,
    case atomics:add_get(Ended, 1, 1) of
        Count -> Main ! done;
        _ -> ok
    end.

idle_actors(Count) ->
    nursery(1000),
    Before = status("VmRSS:"),
    Began = erlang:monotonic_time(nanosecond),
    nursery(Count),
    Nanoseconds = erlang:monotonic_time(nanosecond) - Began,
    io_lib:format("\"bytes_each\": ~.3f, \"ns\": ~.3f",
                  [(status("VmRSS:") - Before) / Count, Nanoseconds / Count]).

nursery(Count) ->
    Main = self(),
    spawn(fun() -> idlers(Count), Main ! done, idler() end),
    await(1).

idlers(0) -> ok;
idlers(Left) -> spawn(fun idler/0), idlers(Left - 1).

idler() -> receive {ball, _} -> idler() end.

%% Latency.

scaling(Count, Size) ->
    Main = self(),
    Nanoseconds = nanoseconds(Size, fun(_) -> busy_ring(Main, Count, Size) end),
    Relays = receive {relays, All} -> All end,
    [Relay ! {report, Main} || Relay <- Relays],
    Samples = lists:sort(lists:append([receive {samples, Some} -> Some end || _ <- Relays])),
    Tuple = list_to_tuple(Samples),
    At = fun(Share) -> element(trunc(Share * (tuple_size(Tuple) - 1)) + 1, Tuple) / 1000 end,
    io_lib:format("\"ns\": ~.3f, \"p50_us\": ~.3f, \"p95_us\": ~.3f, \"p99_us\": ~.3f, \"max_us\": ~.3f",
                  [Nanoseconds / Count, At(0.50), At(0.95), At(0.99), At(1.0)]).

busy_ring(Main, Count, Size) ->
    All = [spawn(fun() -> receive {meet, Next} -> relay(Main, Next, []) end end) || _ <- lists:seq(1, Size)],
    meet(All),
    Main ! ready,
    receive go -> ok end,
    [Relay ! {ball, Count div Size, 0} || Relay <- All],
    Main ! {relays, All}.

relay(Main, Next, Samples) ->
    receive
        {ball, Left, Sent} ->
            More = case Sent of
                       0 -> Samples;
                       _ -> [erlang:monotonic_time(nanosecond) - Sent | Samples]
                   end,
            if
                Left =< 1 -> Main ! done;
                Left rem 16 =:= 0 -> Next ! {ball, Left - 1, erlang:monotonic_time(nanosecond)};
                true -> Next ! {ball, Left - 1, 0}
            end,
            relay(Main, Next, More);
        {report, To} -> To ! {samples, Samples}
    end.
