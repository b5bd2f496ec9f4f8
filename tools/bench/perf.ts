// Counts an event of the processor in a process with `perf`: unlike CPU time, instructions hardly depend on what else runs.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

const INSTRUCTIONS = 'instructions:u';
/** The time for `perf` to attach to a process. */
const ATTACH_MS = 100;

const options = (event: string) => ['stat', '--field-separator=,', `--event=${event}`];

/** Whether this machine counts instructions; most virtual machines do not. */
const countsInstructions =
  countIn(spawnSync('perf', [...options(INSTRUCTIONS), 'true'], { encoding: 'utf8' }).stderr) !== undefined;

/** The result of `work`, and the instructions of a process in user mode meanwhile; undefined where they are not counted. */
export async function withInstructions<T>(
  pid: number | undefined,
  work: () => Promise<T>,
): Promise<[T, number | undefined]> {
  return countsInstructions && pid !== undefined ? withCount(INSTRUCTIONS, pid, work) : [await work(), undefined];
}

/** The result of `work`, and how often an event happened in a process meanwhile. */
export async function withCount<T>(
  event: string,
  pid: number,
  work: () => Promise<T>,
): Promise<[T, number | undefined]> {
  const perf = spawn('perf', [...options(event), `--pid=${pid}`], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  perf.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const closed = once(perf, 'close');
  await pause(ATTACH_MS);
  try {
    const result = await work();
    perf.kill('SIGINT');
    await closed;
    return [result, countIn(output)];
  } finally {
    perf.kill('SIGKILL');
  }
}

/** The count in the output of `perf stat`, whose first field is a text where the event is not counted. */
export function countIn(output: string | null): number | undefined {
  const [, count] = /^(\d+(?:\.\d+)?),/m.exec(output ?? '') ?? [];
  return count === undefined ? undefined : Number(count);
}
