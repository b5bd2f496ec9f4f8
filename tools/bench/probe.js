// Loaded before a server that is measured, by `--import`: it answers what the process has used, and ends it with the
// bench. So every server is asked in the same way, on every system, and none of them has a line for it. Plain JavaScript,
// so that it brings nothing along.
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({ cpu: user + system, user, rss, heapUsed, external });
});
process.on('disconnect', () => process.exit());
// Nothing here keeps a process alive that has ended its work.
process.channel?.unref();
