import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { apiKey } from '@petstore/testing/server';
import { operations } from '@petstore/types';

/** A pet that is to be created once, and the identifier that it was acknowledged with. */
export interface Wanted {
  readonly name: string;
  readonly key: string;
  id: number | undefined;
}

interface Answer {
  readonly status: number;
  readonly body: { readonly id?: number; readonly name?: string; readonly code?: string };
  readonly isReplayed: boolean;
}

/** A request without an answer for so long is sent again. */
const PATIENCE_MS = 5_000;
const WRITERS = 24;

const { header } = operations.createPet.idempotencyKey;

/** Creates so many pets, each sent again until it is acknowledged. `onProgress` is called with the number of those. */
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
        const answer = await send(origin, wanted).catch(() => undefined);
        if (answer?.status === 201 && answer.body.name === wanted.name) wanted.id = answer.body.id;
        else if (answer && ![409, 503].includes(answer.status)) {
          violations.push(`${answer.status} ${JSON.stringify(answer.body)}`);
          break;
        } else await pause(answer ? 50 : 5);
      }
      onProgress(++acknowledged);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, work));
  return { all, violations, tries };
}

let sends = 0;

/** Sends a create, with its key written one way and the other in turns; rejects where there is no whole answer. */
export function send(origin: string, { name, key }: Wanted): Promise<Answer> {
  const properties = [`"name":"${name}"`, '"categoryId":1'];
  const body = `{${(key < '8' ? properties : properties.toReversed()).join()}}`;
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'content-length': body.length,
    connection: 'close',
    [header]: sends++ % 2 === 0 ? key : `"${key}"`,
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      `${origin}/v1/pets`,
      { method: 'POST', headers, agent: false, timeout: PATIENCE_MS },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (more) => {
          text += more;
        });
        response.on('error', reject).on('end', () => {
          if (!response.complete) return reject(new Error('the answer was cut'));
          const isReplayed = response.headers['idempotency-replayed'] === 'true';
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text), isReplayed });
        });
        response.on('close', () => reject(new Error('the answer was cut')));
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('there was no answer'))).on('error', reject);
    sent.end(body);
  });
}

/** All pets by their identifier, from a server that can be reached. */
export async function storedPets(origin: string): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  for (let after = 0, more = true; more; ) {
    const response = await fetch(`${origin}/v1/pets?limit=100&after=${after}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const page = (await response.json()) as { id: number; name: string }[];
    for (const { id, name } of page) found.set(id, name);
    after = page.at(-1)?.id ?? after;
    more = page.length === 100;
  }
  return found;
}
