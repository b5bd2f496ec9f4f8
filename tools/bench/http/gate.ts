import { rounded } from '../measure.ts';
import { type LoadName, loads } from './loads.ts';
import { bare, medianOf, ours, shareOf, withServers } from './servers.ts';

/**
 * The regression gate of `npm run test:deep`: the lowest speed of the shipped server, by CPU time, as a share of a bare `node:http`
 * server's. It is about 60 % of the measured share, so that only a real loss fails the gate.
 */
const floors: Record<LoadName, number> = {
  'list 20': 0.5,
  'list 100 filtered': 0.8,
  get: 0.5,
  create: 0.3,
};

/** Many short rounds: other load on the machine affects few of them, and the medians ignore those. */
const times = { rounds: 9, milliseconds: 200, warmUp: 800 };

/** Other load on the machine can only make the server look slower; a real loss shows in every try. */
const MAX_TRIES = 5;

/** Prints the server's shares of a bare server's speed. Throws if one stays below its floor in all tries. */
export async function gate(): Promise<void> {
  await withServers([bare, ours], async (measure) => {
    const slow: string[] = [];
    for (const load of loads) {
      const floor = floors[load.name];
      const shares: number[] = [];
      while (shares.length < MAX_TRIES && !(Math.max(...shares) >= floor)) {
        const rounds = await measure(load, times);
        shares.push(rounded(shareOf(rounds, 'ours', 'bare', 'cpu')));
        const cpu = ['bare', 'ours'].map((name) => `${name} ${rounded(medianOf(rounds, name, 'cpu'), 1)} µs`);
        console.log(`${load.name}: ${shares.at(-1)} of bare, at least ${floor} (CPU per request: ${cpu.join(', ')})`);
      }
      if (!(Math.max(...shares) >= floor))
        slow.push(
          `'${load.name}' became slower: ${shares.join(', ')} of a bare server, at least ${floor} is required.`,
        );
    }
    if (slow.length > 0) throw new Error(`${slow.join(' ')} The bounds are in tools/bench/http/gate.ts.`);
  });
}
