import { rounded } from '../rounds.ts';
import { floors } from './bounds.ts';
import { loads } from './loads.ts';
import { measure, medianOf, shareOf, type Times, withServers } from './measure.ts';
import { subjectsNamed } from './subjects.ts';

/** Many short rounds: other load on the machine affects few of them, and the medians ignore those. */
const times: Times = { rounds: 9, milliseconds: 200, warmUp: 800 };

/** Other load on the machine can only make the server look slower; a real loss shows in every try. */
const MAX_TRIES = 5;

/** Prints the server's shares of a bare server's speed, and whether all reach their bounds in one of several tries. */
export async function smoke(): Promise<boolean> {
  return withServers(subjectsNamed(['bare', 'ours']), async (running, generator) => {
    const slow: string[] = [];
    for (const load of loads) {
      const floor = floors[load.name];
      const shares: number[] = [];
      while (shares.length < MAX_TRIES && !(Math.max(...shares) >= floor)) {
        const rounds = await measure(load, running, generator, times);
        shares.push(shareOf(rounds, 'ours', 'bare'));
        const cpu = ['bare', 'ours'].map((name) => `${name} ${rounded(medianOf(rounds, name, 'cpu'), 1)} µs`);
        console.log(
          `${load.name}: ${rounded(shares.at(-1) ?? 0)} of bare, at least ${floor} (CPU a request: ${cpu.join(', ')})`,
        );
      }
      if (!(Math.max(...shares) >= floor)) {
        slow.push(
          `FAILED: '${load.name}' became slower: ${shares.map((share) => rounded(share)).join(', ')} of a bare node:http server for the ` +
            `same CPU time. At least ${floor} is required (tools/bench/http/bounds.ts).`,
        );
      }
    }
    for (const line of slow) console.error(line);
    return slow.length === 0;
  });
}
