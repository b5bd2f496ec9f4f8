import type { OperationId } from '@petstore/types';
import { callOf, type Success } from './call.ts';
import { execute } from './execute.ts';
import { type Methods, wireFormats } from './gen/calls.gen.ts';
import type { CallOptions, Options } from './options.ts';
import { type FurtherPage, type PageCall, pageCallOf } from './pages.ts';
import type { BoundOperation, InputValues, WireFormat } from './request.ts';
import { changedSettings, type Settings, settingsFrom } from './settings.ts';

/** A client of the service, with a method for each operation. */
export interface Petstore extends Methods {
  /**
   * A client with these options. All other options stay as they are. Headers and hooks are merged
   * with those of this client.
   */
  withOptions(options: Options): Petstore;
}

/** Creates a client of the service. Throws if an option is wrong, or if there is no API key. */
export function petstore(options: Options = {}): Petstore {
  return clientOf(settingsFrom(options), new Set());
}

/** `reported` is the set of deprecated operations that this client has reported. */
function clientOf(settings: Settings, reported: Set<OperationId>): Petstore {
  const methods: Record<string, unknown> = {};
  for (const id of Object.keys(wireFormats) as OperationId[])
    methods[id] = methodOf({ id, wire: wireFormats[id], settings, reported });
  const withOptions = (options: Options) => {
    // A new hook gets a report of each deprecated operation, also if an earlier hook got one.
    const hasNewHook = options.on?.deprecated !== undefined;
    return clientOf(changedSettings(settings, options), hasNewHook ? new Set() : reported);
  };
  // The own properties of a client are the methods of operations. The compiler cannot know which
  // method belongs to which operation.
  return Object.assign(Object.create({ withOptions }), methods);
}

function methodOf(operation: BoundOperation) {
  const { pagination } = operation.wire;
  return (input: InputValues = {}, options: CallOptions = {}) =>
    pagination
      ? listOf(operation, pagination, input, options)
      : callOf(execute(operation, input, options));
}

function listOf(
  operation: BoundOperation,
  { limit, maximum }: NonNullable<WireFormat['pagination']>,
  input: InputValues,
  options: CallOptions,
): PageCall<unknown> {
  // `execute` checks that the data of a list is an array.
  const request = (sized: InputValues, page?: FurtherPage) =>
    execute(operation, sized, options, page) as Promise<Success<unknown[]>>;
  return pageCallOf(
    (wanted) => request({ ...input, [limit]: input[limit] ?? pageSizeFor(wanted, maximum) }),
    (page) => request(input, page),
  );
}

/**
 * The size of a page that holds the wanted elements, but at most the largest size. Undefined leaves
 * the size to the service.
 */
function pageSizeFor(wanted = 0, maximum = 0): number | undefined {
  const size = Math.min(Math.ceil(wanted), maximum);
  return size > 0 ? size : undefined;
}
