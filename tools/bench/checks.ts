/** How long the checks of the repository take: `node tools/bench/checks.ts [--quick]`. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { inRepository } from './process.ts';
import { inRounds, median } from './rounds.ts';
import { alone, type Section } from './section.ts';

/** Times the commands that people wait for most. What the tests need is made first, where it is not there yet. */
export async function checks(quick: boolean): Promise<Section> {
  const commands = ['drift', 'generate', ...(quick ? [] : ['test'])];
  for (const command of commands) run(command, 'inherit');
  const rounds = quick ? 3 : 7;
  const times = await inRounds(commands, rounds, async (command) => {
    const started = performance.now();
    run(command, 'ignore');
    return (performance.now() - started) / 1000;
  });
  return {
    title: 'The checks',
    how: `Seconds by the clock when nothing has changed since the last time, without the start of npm; medians of ${rounds}.`,
    tables: [
      {
        rows: [...times].map(([command, all]) => ({
          command: command === 'test' ? 'npm test' : `npm run ${command}`,
          seconds: Number(median(all).toFixed(2)),
        })),
      },
    ],
  };
}

/** Runs what the script of that name runs. */
function run(name: string, stdio: 'inherit' | 'ignore'): void {
  const { scripts } = JSON.parse(readFileSync(inRepository('package.json'), 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  const [command, ...args] = (scripts?.[name] ?? '').split(' ');
  if (command !== 'node') throw new Error(`The script '${name}' is no command of Node.`);
  execFileSync(process.execPath, args, { cwd: inRepository('.'), stdio });
}

await alone(import.meta, checks);
