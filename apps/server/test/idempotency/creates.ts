import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { operations } from '@petstore/types';
import { send } from '../requests.ts';

/** A pet to create once, and the identifier in its acknowledgement. */
export interface Wanted {
  readonly name: string;
  readonly key: string;
  id: number | undefined;
}

interface CreateResponse {
  readonly status: number;
  readonly body: { readonly id?: number; readonly name?: string; readonly code?: string };
  readonly isReplayed: boolean;
}

/** The time after which a request without a response is sent again. */
const TIMEOUT_MS = 5_000;
const WRITERS = 24;

const { header } = operations.createPet.idempotencyKey;

/** Creates pets, and repeats each request until it is acknowledged. `onProgress` gets the number of acknowledged pets. */
export async function createAll(origin: string, count: number, onProgress: (acknowledged: number) => void) {
  const all = Array.from({ length: count }, (_, i): Wanted => ({ name: `pet-${i}`, key: randomUUID(), id: undefined }));
  const waiting = all.values();
  const violations: string[] = [];
  let tries = 0;
  let acknowledged = 0;
  const work = async () => {
    for (const wanted of waiting) {
      while (wanted.id === undefined) {
        tries++;
        const response = await sendCreate(origin, wanted).catch(() => undefined);
        if (response?.status === 201 && response.body.name === wanted.name) wanted.id = response.body.id;
        else if (response && ![409, 503].includes(response.status)) {
          violations.push(`${response.status} ${JSON.stringify(response.body)}`);
          break;
        } else await pause(response ? 50 : 5);
      }
      onProgress(++acknowledged);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, work));
  return { all, violations, tries };
}

let sends = 0;

/** Sends a create; each second one has its members in the other order and its key in quotes. Rejects if there is no complete response. */
export async function sendCreate(origin: string, { name, key }: Wanted): Promise<CreateResponse> {
  const [body, idempotencyKey] =
    sends++ % 2 === 0 ? [`{"name":"${name}","categoryId":1}`, key] : [`{"categoryId":1,"name":"${name}"}`, `"${key}"`];
  const options = { body, headers: { [header]: idempotencyKey }, timeout: TIMEOUT_MS };
  const { status, headers, text } = await send(`${origin}/v1/pets`, options);
  return { status, body: JSON.parse(text), isReplayed: headers['idempotency-replayed'] === 'true' };
}
