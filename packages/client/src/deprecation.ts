import type { OperationId } from '@petstore/types';
import type { HttpResponse } from './connection.ts';

/** That an operation will be removed. */
export interface DeprecationNotice {
  readonly operation: OperationId;
  /** When it will be removed: the date in the spec, or the one that the service sends, as it was written. */
  readonly sunset: string | undefined;
  readonly message: string;
}

/** Reports a deprecated operation once per process. */
export type Deprecation = (
  operation: OperationId,
  response: HttpResponse,
  report: ((notice: DeprecationNotice) => void) | false | undefined,
) => void;

const reported = /* @__PURE__ */ new Set<string>();

/** Reports an operation that is deprecated in the spec, or one that the service deprecates by a header. */
export const deprecated =
  (known?: { readonly sunset?: string }): Deprecation =>
  (operation, { headers }, report = ({ message }) => console.warn(`@petstore/client: ${message}`)) => {
    if (!report || reported.has(operation) || !(known || headers.get('deprecation'))) return;
    reported.add(operation);
    const sunset = known?.sunset ?? headers.get('sunset') ?? undefined;
    report({
      operation,
      sunset,
      message: `${operation} is deprecated${sunset ? `, will be removed on ${sunset}` : ''}`,
    });
  };
