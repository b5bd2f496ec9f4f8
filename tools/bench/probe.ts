// Every measured server loads this module: it reports the CPU time of the process when it is asked.
export type Usage = NodeJS.CpuUsage;

process.on('message', () => process.send?.(process.cpuUsage()));
// The bench has ended.
process.on('disconnect', () => process.exit());
// The messages alone keep no server alive.
process.channel?.unref();
