# The workloads on Elixir: one of them a run, named by the argument, with the sizes of
# `benches/workload/measure.rs` in the environment. Prints a line for each figure.

defmodule Gate do
  # Tells when all of a number have come. Kept in an atomics array, so that coming is cheap.
  def new(count) do
    gate = {:atomics.new(1, signed: true), self()}
    arm(gate, count)
    gate
  end

  def arm({counter, _}, count), do: :atomics.put(counter, 1, count)

  def come({counter, owner}) do
    if :atomics.sub_get(counter, 1, 1) == 0, do: send(owner, :all_came)
  end

  def wait(_gate) do
    receive do
      :all_came -> :ok
    end
  end
end

defmodule Counter do
  use GenServer

  def start_link(plan) do
    case plan do
      %{name: name} -> GenServer.start_link(__MODULE__, plan, name: name)
      _ -> GenServer.start_link(__MODULE__, plan)
    end
  end

  @impl true
  def init(plan) do
    with %{seat: {table, key}} <- plan, do: :ets.insert(table, {key, self()})
    with %{started: gate} <- plan, do: Gate.come(gate)
    {:ok, {0, plan}}
  end

  @impl true
  def handle_call(:get, _from, {count, _} = state), do: {:reply, count, state}

  @impl true
  def handle_cast(:crash, _), do: raise("told to")

  def handle_cast(_, {count, plan}) do
    with %{until: until, counted: gate} <- plan, true <- count + 1 == until, do: Gate.come(gate)
    {:noreply, {count + 1, plan}}
  end
end

defmodule Many do
  # GenServers with a registered name, a link and a monitor to the one started before.
  use GenServer
  def start_link({name, before}), do: GenServer.start_link(__MODULE__, before, name: name)

  @impl true
  def init(before) do
    if before do
      Process.link(before)
      Process.monitor(before)
    end

    {:ok, nil}
  end
end

defmodule Measure do
  def size(name), do: name |> System.fetch_env!() |> String.to_integer()

  def rate(count, begun),
    do: count / ((:erlang.monotonic_time(:nanosecond) - begun) / 1.0e9)

  def now, do: :erlang.monotonic_time(:nanosecond)
  def say(id, value), do: IO.puts("#{id} #{value}")

  def resident(key) do
    {:ok, text} = File.read("/proc/self/status")
    [_, kilobytes] = Regex.run(~r/#{key}:\s+(\d+) kB/, text)
    String.to_integer(kilobytes) * 1024
  end

  # A supervisor that never gives up.
  def bed do
    {:ok, supervisor} =
      DynamicSupervisor.start_link(
        strategy: :one_for_one,
        max_restarts: 1_000_000_000,
        max_seconds: 1
      )

    supervisor
  end

  def start(supervisor, plan) do
    spec = %{id: Counter, start: {Counter, :start_link, [plan]}, restart: :permanent}
    {:ok, child} = DynamicSupervisor.start_child(supervisor, spec)
    child
  end

  def repeat(0, _), do: :ok

  def repeat(count, f) do
    f.()
    repeat(count - 1, f)
  end

  def run("start-one") do
    {supervisor, count} = {bed(), size("CHILDREN")}
    begun = now()
    repeat(count, fn -> start(supervisor, %{}) end)
    say("start-one", rate(count, begun))
  end

  # Two partitions: a supervisor and a starter each, as `PartitionSupervisor` would have.
  def run("start-two") do
    count = size("CHILDREN")
    gate = Gate.new(2)
    beds = [bed(), bed()]
    begun = now()

    for supervisor <- beds do
      spawn_link(fn ->
        repeat(div(count, 2), fn -> start(supervisor, %{}) end)
        Gate.come(gate)
        Process.sleep(:infinity)
      end)
    end

    Gate.wait(gate)
    say("start-two", rate(count, begun))
  end

  def run("stop") do
    {supervisor, count} = {bed(), size("CHILDREN")}
    repeat(count, fn -> start(supervisor, %{}) end)
    begun = now()
    DynamicSupervisor.stop(supervisor)
    say("stop", rate(count, begun))
  end

  def run("idle") do
    {supervisor, count} = {bed(), size("CHILDREN")}
    {allocated, pages} = {:erlang.memory(:total), resident("VmRSS")}
    repeat(count, fn -> start(supervisor, %{}) end)
    say("idle", (:erlang.memory(:total) - allocated) / count)
    say("idle-rss", (resident("VmRSS") - pages) / count)
  end

  def run("idle-known") do
    {supervisor, count} = {bed(), size("CHILDREN")}
    {:ok, _} = Registry.start_link(keys: :unique, name: Names, partitions: 2)
    {allocated, pages} = {:erlang.memory(:total), resident("VmRSS")}

    Enum.reduce(1..count, nil, fn number, before ->
      name = {:via, Registry, {Names, "name:#{number}"}}
      spec = %{id: Many, start: {Many, :start_link, [{name, before}]}}
      {:ok, child} = DynamicSupervisor.start_child(supervisor, spec)
      child
    end)

    say("known", (:erlang.memory(:total) - allocated) / count)
    say("known-rss", (resident("VmRSS") - pages) / count)
  end

  def run("call-pair"), do: calls("call-pair", 1, size("CALLS"), size("TIME_OUT") * 1000)
  def run("call-pair-plain"), do: calls("plain-pair", 1, size("CALLS"), :infinity)

  def run("call-pairs"),
    do: calls("call-pairs", size("PAIRS"), size("CALLS_OF_PAIR"), size("TIME_OUT") * 1000)

  def run("call-pairs-plain"),
    do: calls("plain-pairs", size("PAIRS"), size("CALLS_OF_PAIR"), :infinity)

  def run("fan-in") do
    {senders, each, gate} = {size("SENDERS"), size("MESSAGES_OF_SENDER"), Gate.new(1)}
    receiver = start(bed(), %{until: senders * each, counted: gate})
    begun = now()

    for _ <- 1..senders do
      spawn_link(fn -> repeat(each, fn -> GenServer.cast(receiver, :count) end) end)
    end

    Gate.wait(gate)
    say("fan-in", rate(senders * each, begun))
    say("fan-in-peak", resident("VmHWM"))
  end

  def run("fan-out") do
    {receivers, gate, begun} = fan_out_bed()

    spawn_link(fn ->
      repeat(size("MESSAGES_TO_RECEIVER"), fn ->
        value = :binary.copy(<<7>>, size("SHARED_BYTES"))
        Enum.each(receivers, &GenServer.cast(&1, value))
      end)
    end)

    Gate.wait(gate)
    say("fan-out", rate(size("RECEIVERS") * size("MESSAGES_TO_RECEIVER"), begun))
  end

  # A registry with duplicate keys is what Elixir has for local publish and subscribe.
  def run("fan-out-group") do
    {:ok, _} = Registry.start_link(keys: :duplicate, name: Group, partitions: 2)
    {receivers, gate, _} = fan_out_bed()

    Enum.each(receivers, fn receiver ->
      # Only a process itself can register; done for it here by an agent of each key.
      :sys.replace_state(receiver, fn state ->
        {:ok, _} = Registry.register(Group, :all, nil)
        state
      end)
    end)

    begun = now()

    repeat(size("MESSAGES_TO_RECEIVER"), fn ->
      value = :binary.copy(<<7>>, size("SHARED_BYTES"))

      Registry.dispatch(Group, :all, fn entries ->
        for {receiver, _} <- entries, do: GenServer.cast(receiver, value)
      end)
    end)

    Gate.wait(gate)
    say("fan-out-group", rate(size("RECEIVERS") * size("MESSAGES_TO_RECEIVER"), begun))
  end

  def run("crash"), do: crash("crash", size("CRASHING"))
  def run("crash-large"), do: crash("crash-large", size("CHILDREN"))

  def run("look-up") do
    {supervisor, count, each} = {bed(), size("NAMES"), size("LOOKUPS")}
    {:ok, _} = Registry.start_link(keys: :unique, name: Names, partitions: 2)
    names = for number <- 0..(count - 1), do: "name:#{number}"
    Enum.each(names, &start(supervisor, %{name: {:via, Registry, {Names, &1}}}))
    gate = Gate.new(2)
    {front, back} = Enum.split(names, div(count, 2))
    begun = now()

    for order <- [names, back ++ front] do
      spawn_link(fn ->
        look_up(order, order, each)
        Gate.come(gate)
      end)
    end

    Gate.wait(gate)
    say("look-up", rate(2 * each, begun))
  end

  # "start-many" and others that it does not have.
  def run(_), do: :ok

  defp look_up(_, _, 0), do: :ok
  defp look_up([], all, left), do: look_up(all, all, left)

  defp look_up([name | rest], all, left) do
    [{_, _}] = Registry.lookup(Names, name)
    look_up(rest, all, left - 1)
  end

  defp fan_out_bed do
    {count, supervisor} = {size("RECEIVERS"), bed()}
    gate = Gate.new(count)
    plan = %{until: size("MESSAGES_TO_RECEIVER"), counted: gate}
    {for(_ <- 1..count, do: start(supervisor, plan)), gate, now()}
  end

  defp calls(id, pairs, each, time_out) do
    {supervisor, gate} = {bed(), Gate.new(pairs)}
    callees = for _ <- 1..pairs, do: start(supervisor, %{})
    begun = now()

    for callee <- callees do
      spawn_link(fn ->
        repeat(each, fn -> GenServer.call(callee, :get, time_out) end)
        Gate.come(gate)
      end)
    end

    Gate.wait(gate)
    say(id, rate(pairs * each, begun))
  end

  # As many children as are to crash do so: all at once, then one after the other.
  defp crash(id, count) do
    {supervisor, crashing, storms} = {bed(), size("CRASHING"), size("STORMS")}
    seats = :ets.new(:seats, [:public, read_concurrency: true, write_concurrency: true])
    started = Gate.new(count)
    for key <- 1..count, do: start(supervisor, %{started: started, seat: {seats, key}})
    Gate.wait(started)
    keys = Enum.take_every(1..count, div(count, crashing))

    took =
      for _ <- 1..storms do
        Gate.arm(started, crashing)
        begun = now()
        Enum.each(keys, &GenServer.cast(:ets.lookup_element(seats, &1, 2), :crash))
        Gate.wait(started)
        now() - begun
      end

    say(id, storms * crashing / (Enum.sum(took) / 1.0e9))

    took =
      for key <- keys do
        Gate.arm(started, 1)
        begun = now()
        GenServer.cast(:ets.lookup_element(seats, key, 2), :crash)
        Gate.wait(started)
        GenServer.call(:ets.lookup_element(seats, key, 2), :get)
        now() - begun
      end
      |> Enum.sort()

    at = fn share -> Enum.at(took, trunc(length(took) * share)) / 1000 end
    say("#{id}-p50", at.(0.5))
    say("#{id}-p99", at.(0.99))
  end
end

# A crash that was told to would be logged, and that would be measured.
:logger.set_primary_config(:level, :none)

case System.argv() do
  ["version"] -> IO.puts("Elixir #{System.version()} on OTP #{System.otp_release()}")
  [workload] -> Measure.run(workload)
end

# Nothing is stopped: the process ends with all that is in it.
:erlang.halt(0, flush: true)
