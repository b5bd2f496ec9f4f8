import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenInput } from './transfer.ts';

/**
 * A copy of an input, which can be read twice. It has no name, so that nothing is left of it at the
 * end of the process.
 */
export class ImportInput implements AsyncDisposable {
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /**
   * Copies an input into the data folder, where there has to be room for it anyway, or else into
   * the temporary folder.
   */
  static async copy(input: AsyncIterable<Uint8Array>, dataDir: string): Promise<ImportInput> {
    const folder = existsSync(dataDir) ? dataDir : tmpdir();
    const path = join(folder, `import-${randomUUID()}.tmp`);
    const file = await open(path, 'wx+', 0o600);
    try {
      await unlink(path);
      await file.writeFile(input);
      return new ImportInput(file);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  readonly open: OpenInput = () => this.#file.createReadStream({ start: 0, autoClose: false });

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}
