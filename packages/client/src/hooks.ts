import type { Operation } from './request.ts';

/** Runs a hook, if there is one. It cannot change the call: its error is logged. */
export async function notify<Event>(
  hook: ((event: Event) => unknown) | undefined,
  event: Event,
): Promise<void> {
  try {
    await hook?.(event);
  } catch (error) {
    console.error(error);
  }
}

/** Reports a call of a deprecated operation, once for each client and operation. */
export function reportDeprecated({ id, wire, settings, reported }: Operation): void {
  const { deprecated: hook = warn } = settings.on;
  if (!wire.deprecated || !hook || reported.has(id)) return;
  reported.add(id);
  const { sunset, successor } = wire.deprecated;
  const end = sunset ? `; ends on ${sunset}` : '';
  const use = successor ? `; use ${successor}` : '';
  const message = `${id} is deprecated${end}${use}`;
  notify(hook, { operation: id, message, sunset });
}

function warn({ message }: { message: string }): void {
  console.warn(`@petstore/client: ${message}`);
}
