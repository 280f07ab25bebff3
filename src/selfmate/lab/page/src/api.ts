// Questions to the server. What it refuses comes back as a Refusal whose message is a sentence.

export class Refusal extends Error {
  constructor(sentence: string, readonly status: number) {
    super(sentence);
  }
}

export async function get<Answer>(path: string): Promise<Answer> {
  return ask<Answer>(path, { method: "GET" });
}

export async function post<Answer>(path: string, body: unknown = {}): Promise<Answer> {
  return ask<Answer>(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

export async function remove<Answer>(path: string): Promise<Answer> {
  return ask<Answer>(path, { method: "DELETE" });
}

async function ask<Answer>(path: string, request: RequestInit): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(`/api/${path}`, request);
  } catch {
    throw new Error("The lab does not answer. Is `selfmate lab` still running?");
  }
  if (response.ok) return (await response.json()) as Answer;
  throw new Refusal(await sentenceOf(response), response.status);
}

async function sentenceOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return String((JSON.parse(text) as { error: unknown }).error);
  } catch {
    return text.trim() || `The lab answered ${response.status}.`;
  }
}
