// Requests to the server. An error answer throws a RequestError with the server's message.

export class RequestError extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

export async function get<Answer>(path: string): Promise<Answer> {
  return request<Answer>(path, { method: "GET" });
}

export async function post<Answer>(path: string, body: unknown = {}): Promise<Answer> {
  return request<Answer>(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

export async function remove<Answer>(path: string): Promise<Answer> {
  return request<Answer>(path, { method: "DELETE" });
}

async function request<Answer>(path: string, options: RequestInit): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(`/api/${path}`, options);
  } catch {
    throw new Error("The lab does not answer. Is `selfmate lab` still running?");
  }
  if (response.ok) return (await response.json()) as Answer;
  throw new RequestError(await messageOf(response), response.status);
}

async function messageOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return String((JSON.parse(text) as { error: unknown }).error);
  } catch {
    return text.trim() || `The lab answered ${response.status}.`;
  }
}
