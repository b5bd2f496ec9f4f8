import type { Operation } from './request.ts';

/** Runs a hook, if there is one. Its error is logged, and changes nothing. */
export function notify<Event>(
  hook: ((event: Event) => unknown) | undefined,
  event: () => Event,
): void {
  // An async function runs at once until its first `await`.
  if (hook) (async () => hook(event()))().catch(console.error);
}

/** Reports a call of a deprecated operation, once for each client and operation. */
export function reportDeprecated({ id, wire, settings, reported }: Operation): void {
  const { deprecated = ({ message }) => console.warn(`@petstore/client: ${message}`) } =
    settings.on;
  if (!wire.deprecated || !deprecated || reported.has(id)) return;
  reported.add(id);
  const { sunset, successor } = wire.deprecated;
  const message = `${id} is deprecated${sunset ? `, ends on ${sunset}` : ''}${successor ? `; use ${successor}` : ''}`;
  notify(deprecated, () => ({ operation: id, message, ...(sunset && { sunset }) }));
}
