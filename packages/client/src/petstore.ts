import type { OperationId } from '@petstore/types';
import { callOf, type Success } from './call.ts';
import { execute } from './execute.ts';
import { type Methods, wires } from './gen/calls.gen.ts';
import type { CallOptions, Options } from './options.ts';
import { pageCallOf, type RequestPage } from './pages.ts';
import type { Input, Operation, Wire } from './request.ts';
import { changedSettings, type Settings, settingsFrom } from './settings.ts';

/** A client of the service, with a method for each operation. */
export interface Petstore extends Methods {
  /**
   * A client with these options. Options that are not given stay as they are; headers and hooks are
   * merged.
   */
  withOptions(options: Options): Petstore;
}

/** Creates a client of the service. Throws for options that are wrong, and without an API key. */
export function petstore(options: Options = {}): Petstore {
  return clientOf(settingsFrom(options), new Set());
}

function clientOf(settings: Settings, reported: Set<OperationId>): Petstore {
  const ids = Object.keys(wires) as OperationId[];
  const methods = Object.fromEntries(
    ids.map((id) => [id, methodOf({ id, wire: wires[id], settings, reported })]),
  );
  const withOptions = (options: Options) => {
    const isOwn = options.on?.deprecated !== undefined;
    return clientOf(changedSettings(settings, options), isOwn ? new Set() : reported);
  };
  // Its own properties are the operations. The compiler cannot know which method belongs to which of them.
  return Object.assign(Object.create({ withOptions }), methods);
}

function methodOf(operation: Operation) {
  return (input: Input = {}, options: CallOptions = {}) =>
    operation.wire.pagination
      ? pageCallOf(requestPageOf(operation, operation.wire.pagination, input, options))
      : callOf(execute(operation, input, options));
}

function requestPageOf(
  operation: Operation,
  { limit, maximum = 0 }: NonNullable<Wire['pagination']>,
  input: Input,
  options: CallOptions,
): RequestPage<unknown> {
  return (max, page) => {
    const size = Math.min(Math.ceil(max), maximum);
    const sized = size > 0 ? { ...input, [limit]: input[limit] ?? size } : input;
    // `execute` checks that the data is a list.
    return execute(operation, sized, options, page) as Promise<Success<unknown[]>>;
  };
}
