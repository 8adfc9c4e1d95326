// SPDX-License-Identifier: BSL-1.0
// All workloads with protoactor-go: `peer_go WORKLOAD COUNT WORKERS [PARAM [TOKENS]]`; those named timers_* use the standard library only.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

type Go struct{}
type Ball struct{ Left uint64 }
type Meet struct{ Next *actor.PID }
type Item struct{ A, B uint64 }
type Credit struct{}
type More struct{}
type Hop struct{ Left uint32 }
type Question struct{ V uint64 }
type Answer struct{ V uint64 }
type Job struct{ V uint64 }
type Stamped struct {
	Left uint64
	Sent int64
}

var base = time.Now()

func now() int64 { return int64(time.Since(base)) }

var sys *actor.ActorSystem
var done = make(chan struct{}, 1)
var left int64

func arrive() {
	if atomic.AddInt64(&left, -1) == 0 {
		done <- struct{}{}
	}
}

func spin(n uint64, x uint64) uint64 {
	for i := uint64(0); i < n; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

var sinkv uint64

func loops(ns uint64) uint64 {
	if ns == 0 {
		return 0
	}
	best := 0.0
	for t := 0; t < 9; t++ {
		b := now()
		sinkv += spin(2000000, 1)
		e := now()
		if r := 2e6 / float64(e-b); r > best {
			best = r
		}
	}
	return uint64(float64(ns) * best)
}

func status(name string) float64 {
	f, _ := os.Open("/proc/self/status")
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		if strings.HasPrefix(s.Text(), name) {
			v, _ := strconv.ParseFloat(strings.Fields(s.Text())[1], 64)
			return v * 1024
		}
	}
	return 0
}

func cpu() float64 {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return float64(r.Utime.Nano() + r.Stime.Nano())
}

var workload string
var count, param, tokens uint64
var workers int

func say(format string, a ...any) {
	fmt.Printf("{\"workload\": \"%s\", \"count\": %d, \"workers\": %d, \"param\": %d, %s, \"peak_mb\": %.1f}\n", workload, count, workers, param, fmt.Sprintf(format, a...), status("VmHWM:")/1048576)
}

func quant(v []int64, prefix string) string {
	sort.Slice(v, func(i, j int) bool { return v[i] < v[j] })
	at := func(s float64) float64 { return float64(v[int(s*float64(len(v)-1))]) / 1e3 }
	return fmt.Sprintf("\"%sp50_us\": %.3f, \"%sp95_us\": %.3f, \"%sp99_us\": %.3f, \"%smax_us\": %.3f", prefix, at(.5), prefix, at(.95), prefix, at(.99), prefix, at(1))
}

func spawn(f func() actor.Actor) *actor.PID { return sys.Root.Spawn(actor.PropsFromProducer(f)) }

// rings
type player struct{ next *actor.PID }

func (p *player) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *Meet:
		p.next = m.Next
	case *Ball:
		if m.Left > 1 {
			c.Send(p.next, &Ball{m.Left - 1})
		} else {
			arrive()
		}
	}
}

type starter struct {
	setup func(c actor.Context)
	run   func(c actor.Context)
	ready chan struct{}
}

func (s *starter) Receive(c actor.Context) {
	switch c.Message().(type) {
	case *actor.Started:
		s.setup(c)
		s.ready <- struct{}{}
	case *Go:
		s.run(c)
	}
}

var cpuUsed float64

func timed(arrivals int64, setup, run func(c actor.Context)) float64 {
	left = arrivals
	ready := make(chan struct{}, 1)
	pid := spawn(func() actor.Actor { return &starter{setup, run, ready} })
	<-ready
	c0 := cpu()
	b := now()
	sys.Root.Send(pid, &Go{})
	<-done
	e := now()
	cpuUsed = cpu() - c0
	return float64(e - b)
}

func ring(size, balls uint64) {
	var all []*actor.PID
	ns := timed(int64(balls), func(c actor.Context) {
		for i := uint64(0); i < size; i++ {
			all = append(all, c.Spawn(actor.PropsFromProducer(func() actor.Actor { return &player{} })))
		}
		for i := uint64(0); i < size; i++ {
			c.Send(all[i], &Meet{all[(i+1)%size]})
		}
	}, func(c actor.Context) {
		for i := uint64(0); i < balls; i++ {
			c.Send(all[i*size/balls], &Ball{count / balls})
		}
	})
	say("\"ns\": %.3f", ns/float64(count))
}

// bursts
type consumer struct {
	prod        *actor.PID
	burst, seen uint64
}

func (p *consumer) Receive(c actor.Context) {
	switch c.Message().(type) {
	case *Item:
		p.seen++
		if p.seen%p.burst == 0 {
			c.Send(p.prod, &Credit{})
		}
	}
}

type producer struct {
	burst, bursts uint64
	to            *actor.PID
	ready         chan struct{}
}

func (p *producer) send(c actor.Context) {
	p.bursts--
	for i := uint64(0); i < p.burst; i++ {
		c.Send(p.to, &Item{i, i})
	}
}
func (p *producer) Receive(c actor.Context) {
	switch c.Message().(type) {
	case *actor.Started:
		p.to = c.Spawn(actor.PropsFromProducer(func() actor.Actor { return &consumer{prod: c.Self(), burst: p.burst} }))
		p.ready <- struct{}{}
	case *Go:
		p.send(c)
	case *Credit:
		if p.bursts > 0 {
			p.send(c)
		} else {
			arrive()
		}
	}
}
func bursts(burst uint64) {
	left = 1
	ready := make(chan struct{}, 1)
	pid := spawn(func() actor.Actor { return &producer{burst: burst, bursts: count / burst, ready: ready} })
	<-ready
	b := now()
	sys.Root.Send(pid, &Go{})
	<-done
	say("\"ns\": %.3f", float64(now()-b)/float64(count))
}

// fan in
type counter struct{ left int64 }

func (p *counter) Receive(c actor.Context) {
	switch c.Message().(type) {
	case *Item:
		p.left--
		if p.left == 0 {
			arrive()
		}
	}
}

type feeder struct {
	to   *actor.PID
	left uint64
}

func (p *feeder) Receive(c actor.Context) {
	switch c.Message().(type) {
	case *More:
		for i := 0; i < 100 && p.left > 0; i++ {
			c.Send(p.to, &Item{p.left, 0})
			p.left--
		}
		if p.left > 0 {
			c.Send(c.Self(), &More{})
		}
	}
}
func fanIn() {
	each := count / 4
	var fs []*actor.PID
	ns := timed(1, func(c actor.Context) {
		to := c.Spawn(actor.PropsFromProducer(func() actor.Actor { return &counter{int64(each * 4)} }))
		for i := 0; i < 4; i++ {
			fs = append(fs, c.Spawn(actor.PropsFromProducer(func() actor.Actor { return &feeder{to, each} })))
		}
	}, func(c actor.Context) {
		for _, f := range fs {
			c.Send(f, &More{})
		}
	})
	say("\"ns\": %.3f", ns/float64(count))
}

// work / random
type hopper struct {
	all   *[]*actor.PID
	state uint64
	loops uint64
	seen  uint64
}

func (p *hopper) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *Hop:
		p.seen++
		if p.loops > 0 {
			p.state += spin(p.loops, 1) & 1
		}
		if m.Left <= 1 {
			arrive()
			return
		}
		p.state ^= p.state << 13
		p.state ^= p.state >> 7
		p.state ^= p.state << 17
		c.Send((*p.all)[p.state%uint64(len(*p.all))], &Hop{m.Left - 1})
	}
}
func work(size, toks uint64) {
	l := loops(param)
	var all []*actor.PID
	var hs []*hopper
	each := count / toks
	ns := timed(int64(toks), func(c actor.Context) {
		for i := uint64(0); i < size; i++ {
			h := &hopper{all: &all, state: i*7919 + 1, loops: l}
			hs = append(hs, h)
			all = append(all, c.Spawn(actor.PropsFromProducer(func() actor.Actor { return h })))
		}
	}, func(c actor.Context) {
		for i := uint64(0); i < toks; i++ {
			c.Send(all[i*size/toks%size], &Hop{uint32(each)})
		}
	})
	sum := uint64(0)
	for _, h := range hs {
		sum += h.seen
	}
	if sum != each*toks {
		fmt.Fprintln(os.Stderr, "missing", sum)
		os.Exit(1)
	}
	say("\"ns\": %.3f, \"cpu_ns\": %.3f, \"tokens\": %d", ns/float64(sum), cpuUsed/float64(sum), toks)
}

// ask
type oracle struct{}

func (*oracle) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *Question:
		c.Respond(&Answer{m.V + 1})
	}
}
func ask() {
	var o *actor.PID
	ns := timed(1, func(c actor.Context) {
		o = c.Spawn(actor.PropsFromProducer(func() actor.Actor { return &oracle{} }))
	}, func(c actor.Context) {
		for i := uint64(0); i < count; i++ {
			r, err := c.RequestFuture(o, &Question{i}, 10*time.Second).Result()
			if err != nil || r.(*Answer).V != i+1 {
				panic("ask")
			}
		}
		arrive()
	})
	say("\"ns\": %.3f", ns/float64(count))
}

// spawn
type mayfly struct{}

func (*mayfly) Receive(c actor.Context) {
	switch c.Message().(type) {
	case *Ball:
		c.Stop(c.Self())
	case *actor.Stopped:
		arrive()
	}
}

type mother struct {
	left  uint64
	ready chan struct{}
	props *actor.Props
}

func (p *mother) Receive(c actor.Context) {
	switch c.Message().(type) {
	case *actor.Started:
		p.ready <- struct{}{}
	case *Go:
		c.Send(c.Spawn(p.props), &Ball{1})
		p.left--
		if p.left > 0 {
			c.Send(c.Self(), &Go{})
		}
	}
}
func spawnStop() {
	left = int64(count)
	ready := make(chan struct{}, 1)
	props := actor.PropsFromProducer(func() actor.Actor { return &mayfly{} })
	pid := spawn(func() actor.Actor { return &mother{count, ready, props} })
	<-ready
	b := now()
	sys.Root.Send(pid, &Go{})
	<-done
	say("\"ns\": %.3f", float64(now()-b)/float64(count))
}

type idler struct{}

func (*idler) Receive(c actor.Context) {}
func idle() {
	props := actor.PropsFromProducer(func() actor.Actor { return &idler{} })
	make_ := func(n uint64) {
		ready := make(chan struct{}, 1)
		spawn(func() actor.Actor {
			return &starter{func(c actor.Context) {
				for i := uint64(0); i < n; i++ {
					c.Spawn(props)
				}
			}, nil, ready}
		})
		<-ready
	}
	make_(1000)
	runtime.GC()
	debug.FreeOSMemory()
	before := status("VmRSS:")
	b := now()
	make_(count)
	e := now()
	after := status("VmRSS:")
	runtime.GC()
	debug.FreeOSMemory()
	say("\"bytes_each\": %.1f, \"bytes_after_gc\": %.1f, \"ns\": %.3f", (after-before)/float64(count), (status("VmRSS:")-before)/float64(count), float64(e-b)/float64(count))
}

// fairness
type relay struct {
	next    *actor.PID
	samples []int64
}

func (p *relay) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *Meet:
		p.next = m.Next
	case *Stamped:
		if m.Sent != 0 {
			p.samples = append(p.samples, now()-m.Sent)
		}
		if m.Left <= 1 {
			arrive()
			return
		}
		s := int64(0)
		if m.Left%16 == 0 {
			s = now()
		}
		c.Send(p.next, &Stamped{m.Left - 1, s})
	}
}
func fair(size uint64) {
	var all []*actor.PID
	var rs []*relay
	ns := timed(int64(size), func(c actor.Context) {
		for i := uint64(0); i < size; i++ {
			r := &relay{samples: make([]int64, 0, count/size/16+16)}
			rs = append(rs, r)
			all = append(all, c.Spawn(actor.PropsFromProducer(func() actor.Actor { return r })))
		}
		for i := uint64(0); i < size; i++ {
			c.Send(all[i], &Meet{all[(i+1)%size]})
		}
	}, func(c actor.Context) {
		for _, a := range all {
			c.Send(a, &Stamped{count / size, 0})
		}
	})
	var v []int64
	for _, r := range rs {
		v = append(v, r.samples...)
	}
	say("\"ns\": %.3f, %s", ns/float64(count), quant(v, ""))
}

// rounds
type laborer struct {
	to    *actor.PID
	loops uint64
	x     uint64
}

func (p *laborer) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *Job:
		if p.loops > 0 {
			p.x += spin(p.loops, 1)
		}
		c.Send(p.to, &Answer{m.V + 1})
	}
}

type master struct {
	all                    []*actor.PID
	loops                  uint64
	size, left, sum, round uint64
	began                  int64
	samples                []int64
	ready                  chan struct{}
}

func (p *master) go_(c actor.Context) {
	p.began = now()
	p.left, p.sum = p.size, 0
	for i, a := range p.all {
		c.Send(a, &Job{uint64(i)})
	}
}
func (p *master) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *actor.Started:
		for i := uint64(0); i < p.size; i++ {
			p.all = append(p.all, c.Spawn(actor.PropsFromProducer(func() actor.Actor { return &laborer{to: c.Self(), loops: p.loops} })))
		}
		p.ready <- struct{}{}
	case *Go:
		p.go_(c)
	case *Answer:
		p.sum += m.V
		p.left--
		if p.left > 0 {
			return
		}
		if p.sum != p.size*(p.size+1)/2 {
			panic("sum")
		}
		p.samples = append(p.samples, now()-p.began)
		p.round--
		if p.round > 0 {
			p.go_(c)
		} else {
			arrive()
		}
	}
}
func rounds() {
	left = 1
	m := &master{size: tokens, round: count, loops: loops(param), ready: make(chan struct{}, 1)}
	pid := spawn(func() actor.Actor { return m })
	<-m.ready
	c0 := cpu()
	b := now()
	sys.Root.Send(pid, &Go{})
	<-done
	e := now()
	say("\"us\": %.3f, \"cpu_us\": %.3f, %s", float64(e-b)/1e3/float64(count), (cpu()-c0)/1e3/float64(count), quant(m.samples, ""))
}

// foreign goroutines
func foreign(targets uint64) {
	threads := param
	each := count / threads / targets * targets
	left = int64(targets)
	var to []*actor.PID
	for i := uint64(0); i < targets; i++ {
		to = append(to, spawn(func() actor.Actor { return &counter{int64(each * threads / targets)} }))
	}
	start := make(chan struct{})
	var wg sync.WaitGroup
	for t := uint64(0); t < threads; t++ {
		wg.Add(1)
		go func(t uint64) {
			<-start
			at := t * 7919 % targets
			for i := uint64(0); i < each; i++ {
				sys.Root.Send(to[at], &Item{i, t})
				at++
				if at == targets {
					at = 0
				}
			}
			wg.Done()
		}(t)
	}
	time.Sleep(10 * time.Millisecond)
	b := now()
	close(start)
	wg.Wait()
	s := now()
	<-done
	say("\"ns\": %.3f, \"send_ns\": %.3f", float64(now()-b)/float64(each*threads), float64(s-b)/float64(each))
}

type slow struct {
	open, begun chan struct{}
	left        int64
}

func (p *slow) Receive(c actor.Context) {
	switch c.Message().(type) {
	case *Go:
		p.begun <- struct{}{}
		<-p.open
	case *Item:
		p.left--
		if p.left == 0 {
			arrive()
		}
	}
}
func queued() {
	text := ""
	var before0 float64
	for r := 0; r < 2; r++ {
		left = 1
		s := &slow{make(chan struct{}), make(chan struct{}, 1), int64(count)}
		pid := spawn(func() actor.Actor { return s })
		sys.Root.Send(pid, &Go{})
		<-s.begun
		before := status("VmRSS:")
		if r == 0 {
			before0 = before
		}
		b := now()
		for i := uint64(0); i < count; i++ {
			sys.Root.Send(pid, &Item{i, i})
		}
		e := now()
		full := status("VmRSS:")
		d := now()
		close(s.open)
		<-done
		f := now()
		time.Sleep(500 * time.Millisecond)
		after := status("VmRSS:")
		text += fmt.Sprintf("\"r%d_bytes_each\": %.1f, \"r%d_send_ns\": %.1f, \"r%d_drain_ns\": %.1f, \"r%d_kept_mb\": %.1f, ", r, (full-before)/float64(count), r, float64(e-b)/float64(count), r, float64(f-d)/float64(count), r, (after-before0)/1048576)
		sys.Root.Stop(pid)
	}
	time.Sleep(3 * time.Second)
	say("%s\"kept_3s_mb\": %.1f", text, (status("VmRSS:")-before0)/1048576)
}

// timers of the standard library
func timersSteady() {
	n := count
	live := make([]*time.Timer, n)
	x := uint64(88172645463325252)
	rnd := func() uint64 { x ^= x << 13; x ^= x >> 7; x ^= x << 17; return x }
	f := func() {}
	b0 := status("VmRSS:")
	for i := range live {
		live[i] = time.AfterFunc(15*time.Second+time.Duration(rnd()%15000)*time.Millisecond, f)
	}
	b1 := status("VmRSS:")
	pairs := param
	c0 := cpu()
	b := now()
	for i := uint64(0); i < pairs; i++ {
		k := rnd() % n
		live[k].Stop()
		live[k] = time.AfterFunc(15*time.Second+time.Duration(rnd()%15000)*time.Millisecond, f)
	}
	e := now()
	say("\"ns\": %.3f, \"cpu_ns\": %.3f, \"bytes_each\": %.1f", float64(e-b)/float64(pairs), (cpu()-c0)/float64(pairs), (b1-b0)/float64(n))
}
func timersFire() {
	n := count
	late := make([]int64, n)
	x := uint64(88172645463325252)
	rnd := func() uint64 { x ^= x << 13; x ^= x >> 7; x ^= x << 17; return x }
	left = int64(n)
	at := now() + 200e6
	c0 := cpu()
	for i := uint64(0); i < n; i++ {
		due := at + int64(rnd()%1000000000)
		i := i
		time.AfterFunc(time.Duration(due-now()), func() { late[i] = now() - due; arrive() })
	}
	c1 := cpu()
	<-done
	say("\"cpu_ms\": %.3f, \"schedule_cpu_ms\": %.3f, %s", (cpu()-c0)/1e6, (c1-c0)/1e6, quant(late, "late_"))
}

func main() {
	workload = os.Args[1]
	count, _ = strconv.ParseUint(os.Args[2], 10, 64)
	workers, _ = strconv.Atoi(os.Args[3])
	tokens = 1000
	if len(os.Args) > 4 {
		param, _ = strconv.ParseUint(os.Args[4], 10, 64)
	}
	if len(os.Args) > 5 {
		tokens, _ = strconv.ParseUint(os.Args[5], 10, 64)
	}
	runtime.GOMAXPROCS(workers)
	if workload == "timers_steady" {
		timersSteady()
		return
	}
	if workload == "timers_fire" {
		timersFire()
		return
	}
	sys = actor.NewActorSystem()
	switch workload {
	case "ping_pong":
		ring(2, 1)
	case "ring_1":
		ring(1000, 1)
	case "ring_100":
		ring(1000, 100)
	case "bursts":
		bursts(100)
	case "one_burst":
		bursts(count)
	case "fan_in":
		fanIn()
	case "random":
		work(10000, 10000)
	case "work":
		work(1000, tokens)
	case "ask":
		ask()
	case "spawn_stop":
		spawnStop()
	case "idle_actors":
		idle()
	case "fair":
		fair(param)
	case "rounds":
		rounds()
	case "foreign_one":
		foreign(1)
	case "foreign_many":
		foreign(1000)
	case "queued":
		queued()
	default:
		os.Exit(2)
	}
	os.Exit(0)
}
