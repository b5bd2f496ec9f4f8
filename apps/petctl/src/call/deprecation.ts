import type { Hooks, Notice } from '@petstore/client';
import type { Invocation } from '../invocation.ts';

interface Listener {
  readonly hear: Exclude<Hooks['deprecated'], false | undefined>;
  readonly tell: () => Promise<void>;
}

/** Hears of deprecated operations, and tells of them when it is clear how the call ended. */
export function listener(invocation: Invocation): Listener {
  const heard: Notice[] = [];
  return {
    hear: (notice) => void heard.push(notice),
    tell: async () => {
      if (heard.length === 0 || invocation.flags.has('quiet')) return;
      const { tellDeprecation } = await import('./tell-deprecation.ts');
      for (const notice of heard.splice(0)) await tellDeprecation(notice, invocation);
    },
  };
}
