"""A model on loopback in place of those that Claude Code, Codex, Gemini CLI and Copilot CLI talk to: it speaks their three
APIs and follows a script. A step of the script is a tool of ours and its arguments, or a function of the answers so
far; what the host gives it as the answer of each call is kept, word by word.
"""
import http.server
import json
import re
import threading


class Script:
    """`steps`: (tool, arguments) or functions of the texts received so far that give one."""

    def __init__(self, steps):
        self.steps = steps
        self.given = []  # one text for each step, as the model got it
        self.first_tools = None
        self.lock = threading.Lock()
        self.pending = None

    # What the model says next: ("call", name, arguments) or ("say", text). `names`: the tools that it sees now; `results`:
    # texts of answers by the ids of calls; `known` the ids of the calls that were made.
    def next(self, names, results, has_search):
        with self.lock:
            if self.first_tools is None:
                self.first_tools = names
            if self.pending is not None and self.pending in results:
                if not self.pending.startswith("look"):
                    self.given.append(results[self.pending])
                self.pending = None
            if len(self.given) == len(self.steps):
                return ("say", "Done.", "")
            step = self.steps[len(self.given)]
            try:
                tool, arguments = step(self.given) if callable(step) else step
            except (KeyError, ValueError) as problem:  # an answer that nothing can be made of
                return ("say", f"Lost: {problem!r}", "")
            found = [name for name in names if re.search(r"(^|[^a-z])" + tool + "$", name)]
            if not found and has_search:
                self.pending = f"look{len(self.given)}"
                return ("call", "ToolSearch", {"query": "select:mcp__notes__" + tool, "max_results": 1})
            self.pending = f"call{len(self.given)}"
            return ("call", found[0] if found else tool, arguments)


def text_of(content):
    """The text of an answer, whatever the API wraps it in."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(text_of(part) for part in content)
    if isinstance(content, dict):
        for key in ("text", "output", "content", "error"):
            if key in content:
                return text_of(content[key])
        return json.dumps(content)
    return str(content)


def flat_tools(tools):
    """Names, those of namespaces as 'namespace name'."""
    names = []
    for tool in tools:
        inner = tool.get("tools") or tool.get("functionDeclarations") or tool.get("function_declarations")
        if tool.get("type") == "namespace":
            names += [tool["name"] + " " + one["name"] for one in inner]
        elif inner:
            names += [one["name"] for one in inner]
        else:
            names.append(tool.get("name") or tool.get("function", {}).get("name", ""))
    return names


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script = None
    log = None

    def log_message(self, *_):
        pass

    def answer(self, body, kind="application/json"):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def events(self, events, named):
        text = "".join((f"event: {e['type']}\n" if named else "") + "data: " +
                       (e if isinstance(e, str) else json.dumps(e)) + "\n\n" for e in events)
        self.answer(text.encode(), "text/event-stream")

    def do_GET(self):
        models = [{"id": name, "object": "model"} for name in ("gpt-5", "claude-sonnet-4-5")]
        self.answer({"object": "list", "data": models, "models": []})

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        if self.log is not None:
            self.log.append((self.path, body))
        path = self.path.split("?")[0]
        if path.endswith("count_tokens"):
            return self.answer({"input_tokens": 100})
        if path.endswith("/messages"):
            return self.anthropic(body)
        if path.endswith("/responses"):
            return self.open_ai(body)
        if path.endswith("/chat/completions"):
            return self.chat(body)
        if "GenerateContent" in path or "generateContent" in path:
            return self.gemini(body, "stream" in path)
        if path.endswith(":countTokens"):
            return self.answer({"totalTokens": 100})
        return self.answer({})

    def next(self, names, results):
        is_loop = any("db_list" in name or name == "ToolSearch" for name in names)
        if not is_loop:  # a title, a summary, a guess at how hard it is
            return ("say", "{}", "")
        return self.script.next(names, results, "ToolSearch" in names)

    def anthropic(self, body):
        results = {}
        for message in body.get("messages", []):
            for part in message["content"] if isinstance(message["content"], list) else []:
                if part.get("type") == "tool_result":
                    results[part["tool_use_id"]] = text_of(part.get("content"))
        kind, name, arguments = self.next(flat_tools(body.get("tools", [])), results)
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": name}
        if kind == "call":
            block = {"type": "tool_use", "id": self.script.pending, "name": name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model", "m"), "content": [],
                   "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 1}}
        stop = "tool_use" if kind == "call" else "end_turn"
        if not body.get("stream"):
            content = [{"type": "text", "text": name}] if kind == "say" else [{**block, "input": arguments}]
            return self.answer({**message, "content": content, "stop_reason": stop})
        return self.events([
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 5}},
            {"type": "message_stop"}], named=True)

    def open_ai(self, body):
        results = {item["call_id"]: text_of(item.get("output")) for item in body.get("input", [])
                   if isinstance(item, dict) and item.get("type", "").endswith("call_output")}
        kind, name, arguments = self.next(flat_tools(body.get("tools", [])), results)
        if kind == "call":
            item = {"type": "function_call", "id": "fc_1", "call_id": self.script.pending, "name": name.split(" ")[-1],
                    "arguments": json.dumps(arguments), "status": "completed"}
            if " " in name:
                item["namespace"] = name.split(" ")[0]
        else:
            item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": name, "annotations": []}]}
        response = {"id": "resp_1", "object": "response", "status": "completed", "model": body.get("model"), "output": [item],
                    "usage": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15,
                              "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}}
        if not body.get("stream"):
            return self.answer(response)
        return self.events([
            {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response}], named=True)

    def chat(self, body):
        results = {message["tool_call_id"]: text_of(message.get("content")) for message in body.get("messages", [])
                   if message.get("role") == "tool"}
        kind, name, arguments = self.next(flat_tools(body.get("tools", [])), results)
        message = {"role": "assistant", "content": name if kind == "say" else None}
        if kind == "call":
            message["tool_calls"] = [{"index": 0, "id": self.script.pending, "type": "function",
                                      "function": {"name": name, "arguments": json.dumps(arguments)}}]
        finish = "tool_calls" if kind == "call" else "stop"
        head = {"id": "chat_1", "created": 1, "model": body.get("model", "m")}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        if not body.get("stream"):
            return self.answer({**head, "object": "chat.completion", "usage": usage,
                                "choices": [{"index": 0, "message": message, "finish_reason": finish}]})
        head["object"] = "chat.completion.chunk"
        return self.events([
            {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": usage}, "[DONE]"], named=False)

    def gemini(self, body, stream):
        results, made = {}, 0
        for content in body.get("contents", []):
            for part in content.get("parts", []):
                if "functionResponse" in part:
                    results[f"call{made}"] = text_of(part["functionResponse"].get("response"))
                    made += 1
        kind, name, arguments = self.next(flat_tools(body.get("tools", [])), results)
        part = {"functionCall": {"name": name, "args": arguments}} if kind == "call" else {"text": name}
        answer = {"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
                  "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}}
        return self.events([answer], named=False) if stream else self.answer(answer)


def serve(script, log=None):
    """A model that follows the script, on a free port of loopback."""
    handler = type("ScriptedModel", (Model,), {"script": script, "log": log})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_address[1]}"
