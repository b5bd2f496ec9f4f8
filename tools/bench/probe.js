// Loaded by `--import` before every measured server: it reports the process's CPU time and memory, and ends the process with
// the bench. Plain JavaScript, so that it loads nothing else.
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({ cpu: user + system, user, rss, heapUsed, external });
});
process.on('disconnect', () => process.exit());
// The channel must not keep the process alive.
process.channel?.unref();
