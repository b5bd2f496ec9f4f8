/** The default number of concurrent calls of an import. */
export const DEFAULT_CONCURRENCY = 8;

/** The number of concurrent tasks, and whether results keep the order of the inputs. */
interface ConcurrencyOptions {
  readonly concurrency: number;
  readonly isOrdered: boolean;
}

/**
 * Starts work for each input as it arrives, and yields each result as soon as possible. A slow source delays no result,
 * and slow work blocks only its own slot. Work must not reject. If the source rejects, the results of started work still
 * come first.
 */
export async function* mapConcurrently<Input, Result>(
  inputs: AsyncIterable<Input>,
  work: (input: Input) => Promise<Result>,
  { concurrency, isOrdered }: ConcurrencyOptions,
): AsyncGenerator<Result> {
  const source = inputs[Symbol.asyncIterator]();
  type Read = { readonly next: IteratorResult<Input> } | { readonly failure: unknown };
  const read = (): Promise<Read> =>
    source.next().then(
      (next) => ({ next }),
      (failure: unknown) => ({ failure }),
    );
  /** By number, oldest first. */
  const running = new Map<number, Promise<{ readonly number: number; readonly result: Result }>>();
  let [reading, isOpen, count] = [read(), true, 0];
  let failed: { readonly failure: unknown } | undefined;
  while (isOpen || running.size > 0) {
    const mayStart = isOpen && running.size < concurrency;
    const awaited = isOrdered ? [...running.values()].slice(0, 1) : [...running.values()];
    const step = await Promise.race([...(mayStart ? [reading] : []), ...awaited]);
    if ('result' in step) {
      running.delete(step.number);
      yield step.result;
    } else if ('failure' in step) {
      [failed, isOpen] = [step, false];
    } else if (step.next.done) {
      isOpen = false;
    } else {
      const number = count++;
      running.set(
        number,
        work(step.next.value).then((result) => ({ number, result })),
      );
      reading = read();
    }
  }
  if (failed) throw failed.failure;
}
