import { median, rounded } from '../measure.ts';
import { type LoadName, loads } from './loads.ts';
import { bare, medianOf, ours, ratiosOf, withServers } from './servers.ts';

/**
 * The regression gate of `npm run test:deep`: the lowest accepted CPU time of a bare `node:http` server divided by that of the
 * shipped server. It is about half of the measured ratio or less, so that only a real loss fails the gate.
 */
const floors: Record<LoadName, number> = {
  'list 20': 0.3,
  'list 100 filtered': 0.6,
  get: 0.25,
  create: 0.2,
};

/** Many short rounds: other load on the machine affects few of them, and the medians ignore those. */
const times = { rounds: 9, milliseconds: 200, warmUp: 800 };

/** Other load on the machine can only make the server look slower; a real loss shows in every try. */
const MAX_TRIES = 5;

/** Prints the ratios. Throws if one of them is below its floor in all tries. */
export async function gate(): Promise<void> {
  const slow: string[] = [];
  await withServers([bare, ours], async (measure) => {
    for (const load of loads) {
      const floor = floors[load.name];
      const ratios: number[] = [];
      while (ratios.length < MAX_TRIES && !ratios.some((ratio) => ratio >= floor)) {
        const measured = await measure(load, times);
        const ratio = rounded(median(ratiosOf(measured, 'cpu', 'bare', 'ours')));
        const cpu = ['bare', 'ours'].map((name) => `${name} ${rounded(medianOf(measured, name, 'cpu'), 1)} µs`);
        console.log(`${load.name}: ${ratio} of bare, at least ${floor} (CPU per request: ${cpu.join(', ')})`);
        ratios.push(ratio);
      }
      if (!ratios.some((ratio) => ratio >= floor))
        slow.push(
          `'${load.name}' became slower: ${ratios.join(', ')} of a bare server, at least ${floor} is required.`,
        );
    }
  });
  if (slow.length > 0) throw new Error(`${slow.join(' ')} The bounds are in tools/bench/http/gate.ts.`);
}
