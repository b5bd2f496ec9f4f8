// Every measured server loads this module: it reports the microseconds of CPU of the
// process when it is asked.
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
// The bench has ended.
process.on('disconnect', () => process.exit());
// The messages alone keep no server alive.
process.channel?.unref();
