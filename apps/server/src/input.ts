// What a request says.

export type Values = Readonly<Record<string, unknown>>;

/** The parameters of a request. A number that no type of ours holds stays a string, which the validators reject. */
export interface Parameters {
  readonly query: Values;
  readonly path: Values;
  readonly header: Values;
}

/** The content of a request. */
export interface Input extends Parameters {
  readonly idempotencyKey: string | undefined;
  /** The parsed body; undefined without one. */
  body?: unknown;
  /** The body with numbers instead of bigints, for validators. */
  plainBody?: unknown;
  /** Whether it is what the spec describes, once that is known. */
  isAccepted?: boolean;
  /** The parameters and the properties of the body, as a handler gets them, once it is called. */
  values?: Values;
}
