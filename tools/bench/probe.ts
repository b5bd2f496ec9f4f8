// Every measured server loads this module, which reports the microseconds of CPU of the process
// when it is asked.
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
// The bench has ended.
process.on('disconnect', () => process.exit());
// The channel must not keep a server alive.
process.channel?.unref();
