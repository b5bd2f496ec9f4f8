import type { Operation } from './request.ts';

/** Runs a hook. Its error is logged, and changes nothing. */
export async function guarded(run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (error) {
    console.error(error);
  }
}

/** Reports a call of a deprecated operation, once for each client and operation. */
export function reportDeprecated({ id, wire, settings, reported }: Operation): void {
  const { deprecated = ({ message }) => console.warn(`@petstore/client: ${message}`) } = settings.on;
  if (!wire.deprecated || !deprecated || reported.has(id)) return;
  reported.add(id);
  const { sunset, successor } = wire.deprecated;
  const message = `${id} is deprecated${sunset ? `, ends on ${sunset}` : ''}${successor ? `; use ${successor}` : ''}`;
  guarded(() => deprecated({ operation: id, message, ...(sunset && { sunset }) }));
}
