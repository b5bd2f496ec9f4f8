import type { OperationId } from '@petstore/types';
import { callOf, type Success } from './call.ts';
import { execute } from './execute.ts';
import { type Methods, wires } from './gen/calls.gen.ts';
import {
  type CallOptions,
  changedSettings,
  type Options,
  type Settings,
  settingsFrom,
} from './options.ts';
import { pageCallOf } from './pages.ts';
import type { Operation } from './request.ts';

/** A client of the service, with a method for each operation. */
export interface Petstore extends Methods {
  /** A client with these options. Options that are not given stay as they are; headers and hooks are merged. */
  withOptions(options: Options): Petstore;
}

/** Creates a client of the service. */
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
  const { pagination } = operation.wire;
  return (input?: object, options: CallOptions = {}) => {
    const run = (more?: object, signal = options.signal) =>
      execute(operation, { ...input, ...more }, { ...options, signal });
    if (!pagination) return callOf(run());
    // `execute` has checked that the data is a list.
    const page = (more?: object, signal?: AbortSignal) =>
      run(more, signal) as Promise<Success<unknown[]>>;
    return pageCallOf(page(), pagination.key, (last, stop) =>
      page(
        { [pagination.cursor]: last },
        options.signal ? AbortSignal.any([options.signal, stop]) : stop,
      ),
    );
  };
}
