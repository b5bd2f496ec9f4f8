// The functions of the operations, as the code that is written anew next still expects them.
import { inExactJson, wholeJson } from './bodies.ts';
import { type Encoder, inHeaders, inPath, inQuery, inQueryOf, withIdempotencyKey } from './build-request.ts';
import { type Call, send } from './call.ts';
import type { CallOptions, Connection } from './connection.ts';
import { wires } from './gen/calls.gen.ts';
import { deprecated } from './observe.ts';
import type { Arguments, Input, OperationId } from './old.ts';
import { byStatus, parseExactJson, parseNothing } from './parse-response.ts';
import { authorize } from './schemes.ts';

type Functions = {
  [Id in OperationId]: (connection: Connection, ...args: [...input: Arguments<Id>, options?: CallOptions]) => Call<Id>;
};

function functionOf<Id extends OperationId>(id: Id) {
  const { method, path, query = [], headers = [], body, idempotencyKey, deprecated: sunset, successes } = wires[id];
  const encoders: Encoder[] = [
    ...(sunset ? [deprecated(id, sunset === true ? undefined : sunset)] : []),
    ...(idempotencyKey ? [withIdempotencyKey(idempotencyKey.toLowerCase())] : []),
    inPath,
    inHeaders(...headers),
    // Without a body, an input with an unknown name goes to the query, where the server names it.
    ...(body ? [inQueryOf(...query), body === 'whole' ? wholeJson() : inExactJson()] : [inQuery]),
  ];
  const parserOf = (status: number) => (status === 204 ? parseNothing : parseExactJson);
  const [only = 200, ...others] = successes;
  const parse =
    others.length === 0
      ? parserOf(only)
      : byStatus(Object.fromEntries(successes.map((status) => [status, parserOf(status)])));
  const wire = { id, method, path, encoders, authorize, ok: new RegExp(successes.join('|')), parse };
  return (connection: Connection, input?: Input<Id>, options?: CallOptions) => send(connection, wire, input, options);
}

export const calls = Object.fromEntries(
  Object.keys(wires).map((id) => [id, functionOf(id as OperationId)]),
) as unknown as Functions;

export const { listPets, createPet, getPet } = calls;
