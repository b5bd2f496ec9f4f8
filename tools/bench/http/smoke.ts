import { rounded } from '../rounds.ts';
import { floors } from './bounds.ts';
import { loads } from './loads.ts';
import { measure, medianOf, shareOf, type Times, withServers } from './measure.ts';
import { chosen } from './subjects.ts';

/** Many short rounds: what else the machine does meets few of them, and the medians leave those out. */
const times: Times = { rounds: 9, milliseconds: 200, warmUp: 800 };

/** What else the machine does can only make the server look slower; a loss that is real is seen every time. */
const tries = 5;

/**
 * Whether the shipped server still has the share of a bare one's speed that it had; prints the shares. What is below its
 * bound is measured again, up to five times: a machine that has much else to do is no regression.
 */
export async function smoke(): Promise<boolean> {
  return withServers(chosen(['bare', 'ours']), async (running, generator) => {
    const slow: string[] = [];
    for (const load of loads) {
      const floor = floors[load.name];
      const shares: number[] = [];
      while (shares.length < tries && !(Math.max(...shares) >= floor)) {
        const rounds = await measure(load, running, generator, times);
        shares.push(shareOf(rounds, 'ours', 'bare'));
        const cpu = ['bare', 'ours'].map((name) => `${name} ${rounded(medianOf(rounds, name, 'cpu'), 1)} µs`);
        console.log(
          `${load.name}: ${rounded(shares.at(-1) ?? 0)} of bare, at least ${floor} (CPU a request: ${cpu.join(', ')})`,
        );
      }
      if (!(Math.max(...shares) >= floor)) {
        slow.push(
          `FAILED: the server has become slow at '${load.name}': it does ${shares.map((share) => rounded(share)).join(', ')} of what a bare ` +
            `node:http server does for the same CPU time, and has to do ${floor} (tools/bench/http/bounds.ts).`,
        );
      }
    }
    for (const line of slow) console.error(line);
    return slow.length === 0;
  });
}
