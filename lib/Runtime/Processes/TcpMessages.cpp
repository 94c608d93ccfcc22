//===- TcpMessages.cpp - Messages over sockets ----------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what Messages.h and TcpMessages.h say. Whatever comes
// is read when somebody asks for anything: into the buffer of whoever waits for
// it, else into memory of its own. So a sender never waits for a receiver, as
// long as the receiver's process asks now and then; its watchdog does.
//
//===----------------------------------------------------------------------===//

#include "TcpMessages.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace shardir {
namespace runtime {

namespace {

constexpr size_t kBufferBytes = size_t(64) << 10;
/// The most that is read from one process before others get their turn.
constexpr int kReadsAtATime = 16;
/// In place of a channel: this process leaves; where is the rank that is the
/// tag; there it is; these ranks have left, or have ended without a word.
enum Control : uint32_t { kGoodbye = 0xfffffff0, kAsk, kPlace, kLeft, kLost };
/// How long a process that ends waits for the others to have read all.
constexpr double kLinger = 2;

MessageChannel channelOf(uintptr_t number) {
  return reinterpret_cast<MessageChannel>(number);
}

uint32_t numberOf(MessageChannel channel) {
  return uint32_t(reinterpret_cast<uintptr_t>(channel));
}

} // namespace

TcpMessages::TcpMessages(int r, int local, std::vector<Socket> sockets,
                         std::vector<TcpPlace> places,
                         std::unique_ptr<TcpLinks> links)
    : places(std::move(places)), links(std::move(links)) {
  rank = r;
  size = int(sockets.size());
  localSize = local;
  control = channelOf(1);
  posts = channelOf(2);
  tools = channelOf(3);
  for (size_t i = 0; i < sockets.size(); ++i)
    if (sockets[i])
      adopt(int(i), std::move(sockets[i]));
}

TcpMessages::~TcpMessages() {
  for (auto &[r, peer] : peers)
    for (Request *request : peer.out)
      if (request->isControl)
        delete request;
}

std::vector<int> TcpMessages::relaysOf(int rank, int size) {
  std::vector<int> relays;
  for (int other : {rank / 2, 2 * rank, 2 * rank + 1})
    if (rank > 0 && other > 0 && other < size)
      relays.push_back(other);
  return relays;
}

size_t TcpMessages::numConnections() const {
  return size_t(std::count_if(peers.begin(), peers.end(), [](const auto &each) {
    return bool(each.second.socket);
  }));
}

TcpMessages::Peer &TcpMessages::peerOf(int other) {
  Peer &peer = peers[other];
  peer.rank = other;
  return peer;
}

void TcpMessages::adopt(int other, Socket socket) {
  Peer &peer = peerOf(other);
  peer.socket = std::move(socket);
  peer.buffer.resize(kBufferBytes);
  peer.hasSpoken = false;
  if (isLeaving)
    say(peer, kGoodbye, 0);
  write(peer);
}

/// Rank 0 is connected to all that are there.
void TcpMessages::seek(Peer &peer) {
  Peer &root = peerOf(0);
  if (peer.isSought || peer.hasLeft || !links || !root.socket)
    return;
  peer.isSought = true;
  if (!links->isConnecting(peer.rank))
    say(root, kAsk, peer.rank);
}

MessageRequest TcpMessages::send(MessageChannel channel, const void *data,
                                 size_t bytes, int to, int tag) {
  auto *request = new Request;
  request->isSend = true;
  request->peer = to;
  request->data = static_cast<char *>(const_cast<void *>(data));
  request->bytes = bytes;
  request->head = {numberOf(channel), tag, bytes};
  Peer &peer = peerOf(to);
  peer.out.push_back(request);
  if (!peer.socket)
    seek(peer);
  else if (peer.out.size() == 1)
    write(peer);
  return request;
}

MessageRequest TcpMessages::receive(MessageChannel channel, void *data,
                                    size_t bytes, int from, int tag) {
  auto *request = new Request;
  request->peer = from;
  request->key = {numberOf(channel), tag};
  request->data = static_cast<char *>(data);
  request->bytes = bytes;
  Peer &peer = peerOf(from);
  peer.wanted[request->key].push_back(request);
  match(peer, request->key);
  return request;
}

bool TcpMessages::test(MessageRequest r) {
  auto *request = static_cast<Request *>(r);
  if (!request->done)
    progress();
  if (!request->done)
    return false;
  delete request;
  return true;
}

bool TcpMessages::cancel(MessageRequest r) {
  auto *request = static_cast<Request *>(r);
  Peer &peer = peerOf(request->peer);
  bool came = request->done;
  if (!came) {
    std::deque<Request *> &wanted = peer.wanted[request->key];
    auto it = std::find(wanted.begin(), wanted.end(), request);
    if (it != wanted.end()) {
      wanted.erase(it);
    } else if (peer.current && peer.current->into == request) {
      // The rest comes into memory of its own, before what came later.
      Incoming &message = *peer.current;
      message.own.assign(request->data, message.at);
      message.own.resize(message.bytes);
      message.into = nullptr;
      peer.arrived[message.key].push_front(peer.current);
    }
  }
  delete request;
  return came;
}

void TcpMessages::release(MessageRequest r) {
  auto *request = static_cast<Request *>(r);
  if (request->done || !request->isSend)
    return;
  request->kept.assign(request->data, request->bytes);
  request->data = request->kept.data();
}

bool TcpMessages::take(MessageChannel channel, int tag, int &from,
                       std::string &data) {
  progress();
  Key key = {numberOf(channel), tag};
  for (auto &[r, peer] : peers) {
    auto it = peer.arrived.find(key);
    if (it == peer.arrived.end() || it->second.empty() ||
        !it->second.front()->complete())
      continue;
    from = r;
    data = std::move(it->second.front()->own);
    it->second.pop_front();
    return true;
  }
  return false;
}

MessageChannel TcpMessages::group(const std::vector<int> &) {
  throw std::runtime_error("the processes were not started by MPI, which "
                           "alone carries tensors between processors");
}

void TcpMessages::progress() {
  polled.clear();
  polledPeers.clear();
  for (auto &[r, peer] : peers) {
    if (!peer.socket)
      continue;
    auto events = short(peer.out.empty() ? POLLIN : POLLIN | POLLOUT);
    polled.push_back({peer.socket.get(), events, 0});
    polledPeers.push_back(&peer);
  }
  if (links)
    links->addTo(polled);
  if (polled.empty() || ::poll(polled.data(), nfds_t(polled.size()), 0) < 0)
    return;
  for (size_t i = 0; i < polledPeers.size(); ++i) {
    Peer &peer = *polledPeers[i];
    if (peer.socket && (polled[i].revents & (POLLIN | POLLHUP | POLLERR)))
      read(peer);
    if (peer.socket && (polled[i].revents & POLLOUT))
      write(peer);
  }
  if (links)
    for (TcpLinks::Link &link :
         links->advance(polled, polledPeers.size(),
                        [&](int r) { return bool(peerOf(r).socket); }))
      adopt(link.rank, std::move(link.socket));
  tellOthers();
}

void TcpMessages::write(Peer &peer) {
  while (!peer.out.empty()) {
    Request &request = *peer.out.front();
    iovec parts[2];
    int n = 0;
    size_t at = request.at;
    if (at < sizeof(Head)) {
      parts[n++] = {reinterpret_cast<char *>(&request.head) + at,
                    sizeof(Head) - at};
      at = sizeof(Head);
    }
    at -= sizeof(Head);
    if (at < request.bytes)
      parts[n++] = {request.data + at, request.bytes - at};
    msghdr message = {};
    message.msg_iov = parts;
    message.msg_iovlen = size_t(n);
    ssize_t sent = ::sendmsg(peer.socket.get(), &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    // The next read reports a fault of the connection.
    if (sent < 0)
      return;
    request.at += size_t(sent);
    if (request.at < sizeof(Head) + request.bytes)
      continue;
    peer.out.pop_front();
    if (request.isControl)
      delete &request;
    else
      request.done = true;
  }
}

void TcpMessages::read(Peer &peer) {
  for (int i = 0; i < kReadsAtATime && peer.socket; ++i) {
    char *to = peer.buffer.data() + peer.end;
    size_t room = peer.buffer.size() - peer.end;
    // Much of one message goes where it is wanted, without a copy.
    bool direct = peer.current && peer.begin == peer.end &&
                  peer.current->bytes - peer.current->at >= kBufferBytes;
    if (direct) {
      to = destination(*peer.current) + peer.current->at;
      room = peer.current->bytes - peer.current->at;
    }
    ssize_t n = ::recv(peer.socket.get(), to, room, 0);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return;
    if (n <= 0)
      return lose(peer);
    peer.hasSpoken = true;
    if (direct) {
      peer.current->at += size_t(n);
      if (peer.current->complete())
        complete(peer);
      continue;
    }
    peer.end += size_t(n);
    if (!parse(peer))
      return lose(peer);
    if (size_t(n) < room)
      return; // there is no more
  }
}

bool TcpMessages::parse(Peer &peer) {
  while (true) {
    size_t left = peer.end - peer.begin;
    const char *from = peer.buffer.data() + peer.begin;
    if (!peer.current) {
      if (left < sizeof(Head))
        break;
      Head head;
      std::memcpy(&head, from, sizeof(head));
      peer.begin += sizeof(head);
      if (head.bytes > size_t(1) << 46)
        return false;
      begin(peer, head);
      continue;
    }
    Incoming &message = *peer.current;
    size_t n = std::min(left, message.bytes - message.at);
    if (n)
      std::memcpy(destination(message) + message.at, from, n);
    message.at += n;
    peer.begin += n;
    if (!message.complete())
      break;
    complete(peer);
  }
  if (peer.begin > 0) {
    std::memmove(peer.buffer.data(), peer.buffer.data() + peer.begin,
                 peer.end - peer.begin);
    peer.end -= peer.begin;
    peer.begin = 0;
  }
  return true;
}

void TcpMessages::begin(Peer &peer, const Head &head) {
  auto message = std::make_shared<Incoming>();
  message->key = {head.channel, head.tag};
  message->bytes = size_t(head.bytes);
  peer.current = message;
  if (head.channel >= kGoodbye) {
    message->own.resize(message->bytes);
    if (message->complete())
      complete(peer);
    return;
  }
  std::deque<Request *> &wanted = peer.wanted[message->key];
  std::deque<std::shared_ptr<Incoming>> &arrived = peer.arrived[message->key];
  if (arrived.empty() && !wanted.empty() &&
      wanted.front()->bytes >= message->bytes) {
    message->into = wanted.front();
    wanted.pop_front();
  } else {
    message->own.resize(message->bytes);
    arrived.push_back(message);
  }
  if (message->complete())
    complete(peer);
}

void TcpMessages::complete(Peer &peer) {
  std::shared_ptr<Incoming> message = std::move(peer.current);
  peer.current.reset();
  if (message->key.first >= kGoodbye)
    hear(peer, message->key, message->own);
  else if (message->into)
    message->into->done = true;
  else
    match(peer, message->key);
}

void TcpMessages::match(Peer &peer, const Key &key) {
  std::deque<Request *> &wanted = peer.wanted[key];
  std::deque<std::shared_ptr<Incoming>> &arrived = peer.arrived[key];
  while (!wanted.empty() && !arrived.empty() && arrived.front()->complete()) {
    Request &request = *wanted.front();
    const std::string &data = arrived.front()->own;
    if (data.size() > request.bytes)
      throw std::runtime_error(
          "a message of " + std::to_string(data.size()) + " bytes came where " +
          std::to_string(request.bytes) + " were expected");
    if (!data.empty())
      std::memcpy(request.data, data.data(), data.size());
    request.done = true;
    wanted.pop_front();
    arrived.pop_front();
  }
}

void TcpMessages::lose(Peer &peer) {
  peer.socket.reset();
  // A process that ends on purpose may do so before it knows that it is
  // connected: rank 0 tells what has become of it.
  if (!peer.hasSpoken && peer.rank != 0 && rank != 0)
    peer.isSought = false;
  else
    depart(peer, /*isLost=*/true);
}

void TcpMessages::depart(Peer &peer, bool isLost) {
  if (peer.hasLeft)
    return;
  peer.hasLeft = true;
  if (links)
    links->forget(peer.rank);
  if (isLost && firstLost < 0)
    firstLost = peer.rank;
  (isLost ? areLost : haveLeft).push_back(peer.rank);
}

void TcpMessages::tellOthers() {
  if (haveLeft.empty() && areLost.empty())
    return;
  auto tell = [&](Peer &peer) {
    auto about = [&](uint32_t channel, const std::vector<int32_t> &ranks) {
      if (!ranks.empty())
        say(peer, channel, 0,
            {reinterpret_cast<const char *>(ranks.data()),
             ranks.size() * sizeof(ranks[0])});
    };
    if (!peer.socket || peer.hasLeft)
      return;
    about(kLeft, haveLeft);
    about(kLost, areLost);
  };
  if (rank == 0)
    for (auto &[r, peer] : peers)
      tell(peer);
  for (int r : relaysOf(rank, size))
    tell(peerOf(r));
  haveLeft.clear();
  areLost.clear();
}

void TcpMessages::say(Peer &peer, uint32_t channel, int32_t tag,
                      std::string text) {
  auto *request = new Request;
  request->isSend = request->isControl = true;
  request->kept = std::move(text);
  request->data = request->kept.data();
  request->bytes = request->kept.size();
  request->head = {channel, tag, request->bytes};
  peer.out.push_back(request);
  write(peer);
}

void TcpMessages::hear(Peer &peer, const Key &key, const std::string &text) {
  auto [channel, tag] = key;
  auto other = size_t(tag);
  if (channel == kGoodbye)
    return depart(peer, /*isLost=*/false);
  if (channel == kAsk && other < places.size())
    return say(
        peer, kPlace, tag,
        {reinterpret_cast<const char *>(&places[other]), sizeof(TcpPlace)});
  TcpPlace place;
  if (channel == kPlace && text.size() == sizeof(place) && links) {
    std::memcpy(&place, text.data(), sizeof(place));
    if (!peerOf(tag).socket && !gone(tag))
      links->connect(tag, place);
  }
  if (channel != kLeft && channel != kLost)
    return;
  std::vector<int32_t> ranks(text.size() / sizeof(int32_t));
  std::memcpy(ranks.data(), text.data(), ranks.size() * sizeof(int32_t));
  for (int r : ranks) {
    // Its own goodbye comes behind what it has sent.
    if (r < 0 || r >= size || r == rank ||
        (channel == kLeft && peerOf(r).socket))
      continue;
    depart(peerOf(r), channel == kLost);
    peerOf(r).socket.reset();
  }
}

void TcpMessages::leave() {
  isLeaving = true;
  for (auto &[r, peer] : peers)
    if (peer.socket)
      say(peer, kGoodbye, 0);
}

void TcpMessages::finish() {
  using Clock = std::chrono::steady_clock;
  leave();
  // A socket that is closed with something unread takes back what it has sent:
  // all wait until the others have said goodbye.
  auto end = Clock::now() + std::chrono::duration<double>(kLinger);
  auto isOpen = [](const auto &each) {
    const Peer &peer = each.second;
    return peer.socket ? !peer.out.empty() || !peer.hasLeft
                       : !peer.out.empty() && !peer.hasLeft;
  };
  while (std::any_of(peers.begin(), peers.end(), isOpen) &&
         Clock::now() < end) {
    progress();
    ::usleep(200);
  }
  for (auto &[r, peer] : peers)
    peer.socket.reset();
}

} // namespace runtime
} // namespace shardir
