/** An error whose message says what happened and what to do, so it is reported without its stack. */
export class ExpectedError extends Error {
  override readonly name = this.constructor.name;
}
