package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/sourcegraph/conc"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

const (
	reboundMarker = "REBOUND" // in the environment of rebind inside of its namespaces
	publicHost    = "203.0.113.7"
	metadataHost  = "169.254.169.254"
)

// rebind is the program rebind of the scripts: it runs a command in a network
// of its own, as an attacker would have it. There, evil.test is a zone whose names
// lead to somewhere else each time that they are asked for; a page is served at a
// public address, and at those of this machine and of a cloud's metadata a trap
// that writes what came to the file reached.txt.
//
//	rebind COMMAND ARG…
//
// The network is a namespace of the kernel, and so is the resolver's configuration:
// the command is as it always is. It exits with 75 where there are no namespaces.
func rebind() {
	if os.Getenv(reboundMarker) == "" {
		os.Exit(secluded(os.Args[1:]))
	}
	var serving conc.WaitGroup // until the program ends
	for _, start := range []func(*conc.WaitGroup) error{raiseLoopback, answerNames, servePages} {
		if err := start(&serving); err != nil {
			fmt.Fprintf(os.Stderr, "rebind: %v\n", err)
			os.Exit(75)
		}
	}
	os.Unsetenv(reboundMarker)
	os.Setenv("GODEBUG", "netdns=go") // no resolver's service of the system is asked beside it
	os.Exit(runThrough(exec.Command(os.Args[1], os.Args[2:]...)))
}

// secluded runs this program again in namespaces of its own, and returns its code.
func secluded(args []string) int {
	inside := exec.Command("/proc/self/exe", args...)
	inside.Args[0] = "rebind"
	inside.Env = append(os.Environ(), reboundMarker+"=1")
	inside.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNET | unix.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	return runThrough(inside)
}

// runThrough runs a command and returns its exit code, 75 where it does not start.
func runThrough(command *exec.Cmd) int {
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	signal.Ignore(os.Interrupt)
	if err := command.Run(); err != nil && command.ProcessState == nil {
		fmt.Fprintf(os.Stderr, "rebind: %v\n", err)
		return 75
	}
	return command.ProcessState.ExitCode()
}

// raiseLoopback brings the loopback device up, with the addresses that an attack
// needs beside its own.
func raiseLoopback(*conc.WaitGroup) error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	for device, address := range map[string]string{"lo": "127.0.0.1", "lo:1": publicHost, "lo:2": metadataHost} {
		request, err := unix.NewIfreq(device)
		if err != nil {
			return err
		}
		if err := request.SetInet4Addr(net.ParseIP(address).To4()); err != nil {
			return err
		}
		if err := unix.IoctlIfreq(socket, unix.SIOCSIFADDR, request); err != nil {
			return fmt.Errorf("the address %s: %w", address, err)
		}
		request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
		if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request); err != nil {
			return fmt.Errorf("%s: %w", device, err)
		}
	}
	return nil
}

// answerNames starts the zone's server and has the resolver ask it.
func answerNames(serving *conc.WaitGroup) error {
	conn, err := net.ListenPacket("udp", "127.0.0.1:53")
	if err != nil {
		return err
	}
	config, err := os.CreateTemp("", "resolv")
	if err != nil {
		return err
	}
	defer os.Remove(config.Name())
	if _, err := config.WriteString("nameserver 127.0.0.1\noptions attempts:1 timeout:2\n"); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := unix.Mount(config.Name(), "/etc/resolv.conf", "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("/etc/resolv.conf: %w", err)
	}
	z := &zone{asked: map[string]int{}}
	serving.Go(func() { z.serve(conn) })
	return config.Close()
}

// A zone answers what an attacker's name server would.
type zone struct {
	asked map[string]int // questions for the IPv4 addresses of a name
}

// addresses are where a name leads to, by the first label.
func (z *zone) addresses(name string, kind dnsmessage.Type) []string {
	first, _, _ := strings.Cut(name, ".")
	if kind == dnsmessage.TypeAAAA {
		return map[string][]string{"mapped": {"::ffff:" + metadataHost}, "six": {"::1"}}[first]
	}
	z.asked[name]++
	switch {
	case first == "mapped" || first == "six":
		return nil
	case first == "both":
		return []string{publicHost, "127.0.0.1"}
	case first == "metadata" && z.asked[name] > 1:
		return []string{metadataHost}
	case first == "loopback" && z.asked[name] > 1:
		return []string{"127.0.0.1"}
	}
	return []string{publicHost}
}

func (z *zone) serve(conn net.PacketConn) {
	for buffer := make([]byte, 1500); ; {
		n, from, err := conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		var message dnsmessage.Message
		if message.Unpack(buffer[:n]) != nil || len(message.Questions) != 1 {
			continue
		}
		if answer, err := z.answer(message); err == nil {
			conn.WriteTo(answer, from) // who is gone asks again
		}
	}
}

// answer packs what is said to a question; nothing of it may be kept.
func (z *zone) answer(message dnsmessage.Message) ([]byte, error) {
	question := message.Questions[0]
	message.Header = dnsmessage.Header{ID: message.ID, Response: true, Authoritative: true}
	message.Additionals = nil
	for _, address := range z.addresses(question.Name.String(), question.Type) {
		header := dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: dnsmessage.ClassINET}
		var body dnsmessage.ResourceBody
		if question.Type == dnsmessage.TypeAAAA {
			body = &dnsmessage.AAAAResource{AAAA: [16]byte(net.ParseIP(address).To16())}
		} else {
			body = &dnsmessage.AResource{A: [4]byte(net.ParseIP(address).To4())}
		}
		message.Answers = append(message.Answers, dnsmessage.Resource{Header: header, Body: body})
	}
	return message.Pack()
}

// servePages serves a page to the public, and traps at the other addresses.
func servePages(serving *conc.WaitGroup) error {
	for address, handler := range map[string]http.HandlerFunc{publicHost: publicPage, metadataHost: springTrap, "127.0.0.1": springTrap, "::1": springTrap} {
		listener, err := net.Listen("tcp", net.JoinHostPort(address, "80"))
		if err != nil {
			return err
		}
		serving.Go(func() { _ = http.Serve(listener, handler) }) // ends with the program
	}
	return nil
}

// publicPage redirects from /again to another page of the same name.
func publicPage(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/again" {
		http.Redirect(w, r, "/latest/meta-data/", http.StatusFound)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<h1>Guide</h1><p>of %s</p>", r.Host)
}

// springTrap writes down who came. What is posted, as to a model, is an error that
// nobody retries.
func springTrap(w http.ResponseWriter, r *http.Request) {
	if err := os.WriteFile("reached.txt", []byte(r.Host+"\n"), 0o600); err != nil {
		panic(err)
	}
	if r.Method == http.MethodPost {
		w.WriteHeader(http.StatusBadRequest)
	}
	fmt.Fprint(w, "credentials")
}
