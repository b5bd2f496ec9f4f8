"""Runs a command on a pseudo-terminal. The first argument is the task as JSON, the output is the result as JSON."""
import fcntl, json, os, pty, re, select, signal, struct, sys, termios

task = json.loads(sys.argv[1])
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, task['columns'], 0, 0))
out_read, out_write = os.pipe()
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    os.dup2(slave, 0)
    os.dup2(out_write if task['pipe'] else slave, 1)
    os.dup2(slave, 2)
    os.closerange(3, 64)
    os.execvpe(task['argv'][0], task['argv'], task['env'])
os.close(slave)
os.close(out_write)
shown, piped, steps, done = b'', b'', task['steps'], 0
sources = [master, out_read]
while sources:
    for source in select.select(sources, [], [], 60)[0] or sys.exit('there was no output for a minute'):
        try:
            data = os.read(source, 65536)
        except OSError:
            data = b''
        if not data:
            sources.remove(source)
        elif source == master:
            shown += data
        else:
            piped += data
    while done < len(steps):
        found = re.search(steps[done]['expect'].encode(), shown + piped)
        if not found:
            break
        os.write(master, steps[done]['send'].encode())
        done += 1
status = os.waitpid(pid, 0)[1]
print(json.dumps({
    'code': os.waitstatus_to_exitcode(status),
    'terminal': shown.decode('utf8', 'replace'),
    'pipe': piped.decode('utf8', 'replace'),
    'steps': done,
}))
