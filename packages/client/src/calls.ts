// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.

import { inExactJson } from './bodies.ts';
import { inPath, inQuery, withIdempotencyKey } from './build-request.ts';
import type { Call } from './call.ts';
import { send } from './call.ts';
import type { CallOptions, Connection } from './connection.ts';
import { deprecated } from './observe.ts';
import type { Input } from './old.ts';
import { parseExactJson } from './parse-response.ts';
import { authorize } from './schemes.ts';

/**
 * List animals
 *
 * Returns a page of pets in ascending order of `id`, optionally only those with one status. A page of large pets ends
 * before `limit`, at about 1 MiB. If more pets may follow, the page has a `Link` header with `rel="next"`.
 */
export function listPets(connection: Connection, input?: Input<'listPets'>, options?: CallOptions): Call<'listPets'> {
  return send(
    connection,
    {
      id: 'listPets',
      method: 'GET',
      path: '/pets',
      encoders: [inQuery],
      authorize: authorize,
      parse: parseExactJson,
    },
    input,
    options,
  );
}

/**
 * Add an animal
 *
 * Adds a pet and returns it with the identifier that the service assigned. To retry safely, send an `Idempotency-Key`:
 * repeated requests with the same key add one pet.
 */
export function createPet(connection: Connection, input: Input<'createPet'>, options?: CallOptions): Call<'createPet'> {
  return send(
    connection,
    {
      id: 'createPet',
      method: 'POST',
      path: '/pets',
      encoders: [withIdempotencyKey('idempotency-key'), inExactJson()],
      authorize: authorize,
      ok: /201/,
      parse: parseExactJson,
    },
    input,
    options,
  );
}

/**
 * Get an animal
 *
 * Returns one pet by its identifier. Use `GET /pets` with the `status` filter instead.
 *
 * @deprecated since 2026-11-20. It will be removed on 2030-12-05. Use `listPets` instead.
 */
export function getPet(connection: Connection, input: Input<'getPet'>, options?: CallOptions): Call<'getPet'> {
  return send(
    connection,
    {
      id: 'getPet',
      method: 'GET',
      path: '/pets/{petId}',
      encoders: [deprecated('getPet', '2030-12-05'), inPath, inQuery],
      authorize: authorize,
      parse: parseExactJson,
    },
    input,
    options,
  );
}
