// What outlives the tab, in IndexedDB. Whatever goes wrong there is said once and changes nothing
// else: the tab goes on without it.

const DATABASE = "selfmate-tab";
const STORE = "state";
const LOCK_MS = 2000; // a tab that is just being closed or reloaded lets go within this time

export type Key = "learner" | "settings" | "game";

export class Storage {
  private constructor(
    private readonly database: IDBDatabase | null,
    private readonly say: (problem: string | null) => void,
  ) {}

  /** `say` gets a sentence when nothing can be stored, and null when it can again. */
  static async open(say: (problem: string | null) => void): Promise<Storage> {
    try {
      const storage = new Storage(await openDatabase(), say);
      storage.becomeWriter();
      return storage;
    } catch (error) {
      say(refused(error));
      return new Storage(null, say);
    }
  }

  private mayWrite: Promise<boolean> = Promise.resolve(true);

  /** Null if nothing was stored, or if it cannot be read. */
  async read<Value>(key: Key): Promise<Value | null> {
    if (this.database === null) return null;
    try {
      const store = this.database.transaction(STORE).objectStore(STORE);
      return ((await settled(store.get(key))) as Value | undefined) ?? null;
    } catch (error) {
      this.say(refused(error));
      return null;
    }
  }

  async write(key: Key, value: unknown): Promise<void> {
    if (this.database === null || !(await this.mayWrite)) return;
    try {
      const transaction = this.database.transaction(STORE, "readwrite");
      transaction.objectStore(STORE).put(value, key);
      await completed(transaction);
      this.say(null);
    } catch (error) {
      this.say(refused(error));
    }
  }

  /** Only one tab stores: two would overwrite each other. Without locks (a page over plain HTTP)
   * every tab stores. */
  private becomeWriter(): void {
    const locks = (navigator as { locks?: LockManager }).locks;
    if (locks === undefined) return;
    this.mayWrite = new Promise((decide) => {
      const hold = () => new Promise<never>(() => decide(true)); // until the tab is closed
      locks.request(DATABASE, { signal: AbortSignal.timeout(LOCK_MS) }, hold).catch(() => {
        this.say(
          "Selfmate is open in another tab, which stores what it learns. What is learned here is " +
            "lost when this tab is closed; download the weights to keep them.",
        );
        decide(false);
      });
    });
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  return settled(opening);
}

function settled<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function completed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
    transaction.onerror = () => reject(transaction.error);
  });
}

function refused(error: unknown): string {
  const isFull = error instanceof DOMException && error.name === "QuotaExceededError";
  const why = isFull
    ? "the browser's storage is full"
    : "the browser refuses to store anything here";
  return `What is learned is not stored: ${why}. Training and games go on; download the weights to keep them.`;
}
